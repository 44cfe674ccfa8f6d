"""PNG files with a palette of at most 256 colours: pictures of screens are a fifth as large with it."""

import struct
import zlib
from collections import Counter

COLOUR_COUNT_MAX = 256


def chunks(data):
    """The parts of a file by their names."""
    position = 8
    while position < len(data):
        length, name = struct.unpack(">I4s", data[position:position + 8])
        yield name, data[position + 8:position + 8 + length]
        position += 12 + length


def rows(data):
    """The lines of a picture of 8 bits a channel, each as bytes of red, green, blue; a fourth channel is left out."""
    parts = list(chunks(data))
    width, height, depth, kind = struct.unpack(">IIBB", parts[0][1][:10])
    assert depth == 8 and kind in (2, 6), (depth, kind)
    size = 3 if kind == 2 else 4
    raw = zlib.decompress(b"".join(part for name, part in parts if name == b"IDAT"))
    before = bytearray(width * size)
    for start in range(0, len(raw), width * size + 1):
        line = bytearray(raw[start + 1:start + 1 + width * size])
        form = raw[start]
        for index in range(len(line)):
            left = line[index - size] if index >= size else 0
            above = before[index]
            corner = before[index - size] if index >= size else 0
            if form == 1:
                guess = left
            elif form == 2:
                guess = above
            elif form == 3:
                guess = (left + above) // 2
            elif form == 4:
                near = sorted((abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)))[0]
                if abs(above - corner) == near:
                    guess = left
                elif abs(left - corner) == near:
                    guess = above
                else:
                    guess = corner
            else:
                break
            line[index] = (line[index] + guess) & 255
        before = line
        yield bytes(line) if size == 3 else bytes(one for index, one in enumerate(line) if index % 4 != 3)


def small(data):
    """The same picture with its most frequent colours; each other one becomes the nearest of them."""
    lines = list(rows(data))
    pixels = [[line[index:index + 3] for index in range(0, len(line), 3)] for line in lines]
    counts = Counter()
    for line in pixels:
        counts.update(line)
    palette = [colour for colour, _ in counts.most_common(COLOUR_COUNT_MAX)]
    known = {colour: index for index, colour in enumerate(palette)}
    for colour in counts:
        if colour not in known:
            known[colour] = min(range(len(palette)), key=lambda index: sum(
                (one - other) ** 2 for one, other in zip(palette[index], colour)))
    raw = b"".join(b"\0" + bytes(known[pixel] for pixel in line) for line in pixels)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(pixels[0]), len(lines), 8, 3, 0, 0, 0)) + chunk(
        b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")
