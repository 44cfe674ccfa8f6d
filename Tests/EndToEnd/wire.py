"""As much of the protocol as a stranger needs to be a bad peer: frames, CBOR, a hello."""

import errno
import socket
import ssl
import struct
import time

KIND_HELLO, KIND_ERROR, KIND_BYE = 1, 10, 9
FRAME_BYTES_MAX = 1024 * 1024
MASK = (1 << 64) - 1


def siphash(data, key0=0, key1=0):
    """SipHash-2-4 with 64 bits of output."""
    state = [
        0x736F6D6570736575 ^ key0, 0x646F72616E646F6D ^ key1,
        0x6C7967656E657261 ^ key0, 0x7465646279746573 ^ key1]

    def turn(value, bits):
        return ((value << bits) | (value >> (64 - bits))) & MASK

    def rounds(count):
        a, b, c, d = state
        for _ in range(count):
            a = (a + b) & MASK
            c = (c + d) & MASK
            b = turn(b, 13) ^ a
            d = turn(d, 16) ^ c
            a = turn(a, 32)
            c = (c + b) & MASK
            a = (a + d) & MASK
            b = turn(b, 17) ^ c
            d = turn(d, 21) ^ a
            c = turn(c, 32)
        state[:] = [a, b, c, d]

    whole = len(data) // 8 * 8
    last = data[whole:] + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", data[:whole] + last):
        state[3] ^= word
        rounds(2)
        state[0] ^= word
    state[2] ^= 0xFF
    rounds(4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def head(major, number):
    """The head of a CBOR item, as short as it goes."""
    if number < 24:
        return bytes([major << 5 | number])
    for extra, (code, most) in enumerate([("B", 8), ("H", 16), ("I", 32), ("Q", 64)]):
        if number < 1 << most:
            return bytes([major << 5 | 24 + extra]) + struct.pack(">" + code, number)
    raise ValueError(number)


def cbor(value):
    """Deterministic CBOR of numbers, texts, bytes, lists, maps, booleans and None."""
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", True: b"\xf5", False: b"\xf4"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    pairs = sorted((cbor(key), cbor(item)) for key, item in value.items())
    return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)


def decoded(data, place=0):
    """One CBOR value of the kinds above, and the place after it."""
    major, short = data[place] >> 5, data[place] & 31
    place += 1
    number = short
    if major == 7:
        return {20: False, 21: True, 22: None}[short], place
    if 24 <= short <= 27:
        size = 1 << (short - 24)
        number = int.from_bytes(data[place:place + size], "big")
        place += size
    if major in (0, 1):
        return (number if major == 0 else -1 - number), place
    if major in (2, 3):
        text = data[place:place + number]
        return (text if major == 2 else text.decode()), place + number
    items = []
    for _ in range(number * (2 if major == 5 else 1)):
        item, place = decoded(data, place)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2]))), place


def frame(payload, checksum=None):
    """A frame around the bytes of one message."""
    checksum = siphash(payload) if checksum is None else checksum
    return struct.pack(">I", len(payload)) + payload + struct.pack(">Q", checksum)


def hello(space=b"\x11" * 16, versions=(1, 1), policy=0, replica=b"\x22" * 16, **others):
    """The message in which a peer says who it is; `others` are further keys by number."""
    message = {
        0: KIND_HELLO, 1: list(versions), 2: space, 3: policy, 4: replica, 5: [7, 0],
        6: bytes(16), 7: bytes(16), 12: 0}
    message.update({int(key[1:]): value for key, value in others.items()})
    return cbor(message)


def messages(data):
    """The messages in received bytes; a cut frame at the end is left out."""
    found, place = [], 0
    while place + 4 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        if place + 12 + length > len(data):
            break
        found.append(decoded(data[place + 4:place + 4 + length])[0])
        place += 12 + length
    return found


def send_all(link, data, closes=False):
    """Sends bytes to a side that may have closed before it read them all; what it said by then can still be received.

    The kernel tells that at any of these calls, as reset, as a broken pipe or as no longer connected.
    """
    try:
        link.sendall(data)
        if closes:
            link.shutdown(socket.SHUT_WR)
    except TimeoutError:
        raise
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN):
            raise


def receive(link, count):
    """What comes next; nothing if the other side has closed, in whichever way."""
    try:
        return link.recv(count)
    except ConnectionError:
        return b""


def talk(port, pieces, seconds=5, closes=False):
    """Connects, sends the pieces and reads until the other side closes or the time is over.

    Answers the bytes received and whether the other side closed.
    """
    received = bytearray()
    until = time.monotonic() + seconds
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as link:
        try:
            for piece in pieces:
                send_all(link, piece)
            if closes:
                send_all(link, b"", closes=True)
            while time.monotonic() < until:
                link.settimeout(max(0.01, until - time.monotonic()))
                piece = receive(link, 65536)
                if not piece:
                    return bytes(received), True
                received += piece
        except TimeoutError:
            pass
    return bytes(received), False


KIND_CHANGES, KIND_PART, KIND_RELAY_HELLO, KIND_RELAY_HELLO_REPLY, KIND_UPLOAD = 2, 5, 20, 21, 22


def relay_hello(space, generation=0, versions=(1, 1), replica=b"\x22" * 16, **others):
    """The message in which a device asks a relay, or who invited it, to be let in."""
    message = {
        0: KIND_RELAY_HELLO, 1: list(versions), 2: space, 3: replica, 4: 0, 5: generation}
    message.update({int(key[1:]): value for key, value in others.items()})
    return cbor(message)


# The collection of relay names.
RELAY_NAMES = 4294967295


def part(record, clock_replica, size, offset, piece):
    """A piece of a long body."""
    return cbor({
        0: KIND_PART, 1: RELAY_NAMES, 2: record, 3: [clock_replica, 1], 4: size, 5: offset,
        6: piece})


def changes(record, clock_replica, counter, body, sequence):
    """A batch of one change."""
    return cbor({
        0: KIND_CHANGES, 1: clock_replica, 2: [RELAY_NAMES], 3: [0, record, [0, counter], body],
        4: [7, sequence]})


class Line:
    """One connection to a port: plain, or over TLS with the key in a file."""

    def __init__(self, port, key=None, seconds=10, receive_bytes=None):
        self.socket = socket.socket()
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(seconds)
        self.socket.connect(("127.0.0.1", port))
        self.is_plain = key is None
        if key is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.set_alpn_protocols(["tandem/1"])
            context.load_cert_chain(key)
            self.socket = context.wrap_socket(self.socket)
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, *payloads):
        for payload in payloads:
            self.socket.sendall(
                frame(payload) if self.is_plain else struct.pack(">I", len(payload)) + payload)

    def hear(self):
        """The next message; None at the end."""
        tail = 8 if self.is_plain else 0
        while True:
            if len(self.received) >= 4:
                (length,) = struct.unpack_from(">I", self.received)
                if len(self.received) >= 4 + length + tail:
                    message = decoded(self.received[4:4 + length])[0]
                    self.received = self.received[4 + length + tail:]
                    return message
            try:
                piece = self.socket.recv(65536)
            except (ConnectionResetError, ssl.SSLError):
                return None
            if not piece:
                return None
            self.received += piece

    def hear_error(self):
        """The words of the error that ends it; None if it ends without."""
        for _ in range(1000):
            message = self.hear()
            if message is None:
                return None
            if message[0] == KIND_ERROR:
                return message[2]
        raise AssertionError("no end of messages")
