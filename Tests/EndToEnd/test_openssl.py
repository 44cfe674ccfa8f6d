"""OpenSSL is loaded by the commands that encrypt, and by no other."""

import os

import tandem_process as tandem


class WithoutLibraries(tandem.Device):
    """A device on whose machine the files of OpenSSL are no libraries."""

    def __init__(self, device, folder):
        super().__init__(os.path.dirname(device.store), device.name)
        self.folder = folder
        os.makedirs(folder)
        for name in ("libssl.so.3", "libcrypto.so.3"):
            with open(os.path.join(folder, name), "w") as file:
                file.write("no library\n")

    def environment(self):
        searched = [self.folder, os.environ.get("LD_LIBRARY_PATH", "")]
        return dict(super().environment(), LD_LIBRARY_PATH=":".join(filter(None, searched)))


class OpenSSL(tandem.TandemTestCase):
    def test_commands_that_encrypt_nothing_do_not_load_it(self):
        laptop, phone = self.pair()
        laptop = WithoutLibraries(laptop, os.path.join(self.folder, "libraries"))
        milk = laptop.add("Buy milk", "project:home", "due:today")
        for words in (
                ("list",), ("today",), ("agenda",), ("show", milk), ("history", milk), ("list", "milk"),
                ("edit", milk, "+shop"), ("done", milk), ("undo",), ("delete", milk), ("restore", milk), ("status",),
                ("conflicts",), ("export", "--format", "csv"), ("stats",), ("config",), ("help", "sync"), ("version",)):
            laptop.run(*words, codes=(tandem.OK, tandem.NOTHING))
        self.assertIn("Buy milk", laptop.titles())
        with phone.serve() as server:
            refused = laptop.run("sync", server.address, codes=(tandem.UNAVAILABLE,))
            self.assertIn("OpenSSL", refused.errors)
            self.assertIn("libcrypto.so.3", refused.errors)
            # Nothing came of it but that: with its libraries the same store syncs.
            self.device("laptop").sync(server.address)
        self.assertIn("Buy milk", phone.titles())
