"""Who `tandem caldav` lets in: passwords, crowds, other sites, proxies, and the daemon that runs it."""

import glob
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest

import tandem_process as tandem
from caldav_case import WAIT_SECONDS, CaldavCase, Client, sync, vtodo
from test_metrics import children, eventually

NGINX = "/usr/sbin/nginx"
CADDY = "/usr/bin/caddy"


class Passwords(CaldavCase):
    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()

    def test_a_password_is_shown_once_and_not_kept(self):
        for path in glob.glob(self.laptop.store + "/**", recursive=True):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.assertNotIn(self.client.password.encode(), file.read(), path)
        self.assertNotIn(self.client.password, self.laptop.run("caldav", "--clients").output)
        self.assertIn("phone", self.laptop.run("caldav", "--clients").output)

    def test_without_the_right_password_nothing_is_told(self):
        good = self.client.password
        for name, password in (("phone", None), ("phone", ""), ("phone", good[:-1]), ("phone", good + "x"), ("", good),
                               ("Phone", good), ("tablet", good)):
            answer = Client(self.client.port, name, password).find("/", "d:current-user-principal")
            self.assertEqual(answer.status, 401, (name, password))
            self.assertTrue(answer.headers["www-authenticate"].startswith("Basic "))
        for field in ("Bearer x", "Basic", "Basic !!!", "Basic " + "A" * 5000):
            self.assertEqual(self.client.ask("OPTIONS", "/", Authorization=field).status, 401, field)
        self.assertEqual(self.client.ask("OPTIONS", "/").status, 200)

    def test_a_removed_client_is_let_in_no_more_and_its_name_is_free(self):
        self.assertEqual(self.client.ask("OPTIONS", "/").status, 200)
        self.laptop.run("caldav", "--remove-client", "phone")
        self.assertEqual(self.client.ask("OPTIONS", "/").status, 401)
        self.laptop.run("caldav", "--remove-client", "phone", codes=(tandem.USAGE,))
        again = Client(self.client.port, "phone", self.password())
        self.assertEqual(again.ask("OPTIONS", "/").status, 200)
        self.assertEqual(self.client.ask("OPTIONS", "/").status, 401)

    def test_names_that_cannot_be_sent_are_refused(self):
        for name in ("", "a:b", "x" * 65, "a\nb", " a"):
            self.laptop.run("caldav", "--add-client", name, codes=(tandem.USAGE,))
        self.laptop.run("caldav", "--add-client", "phone", codes=(tandem.USAGE,))
        self.assertEqual(self.laptop.run("caldav", "--clients").output.count("\n"), 1)

    def test_after_many_wrong_passwords_wrong_ones_wait_and_right_ones_are_let_in(self):
        wrong = Client(self.client.port, "phone", "wrong")
        statuses = [wrong.ask("OPTIONS", "/").status for _ in range(25)]
        self.assertEqual(statuses, [401] * 20 + [429] * 5)
        self.assertIn("retry-after", wrong.ask("OPTIONS", "/").headers)
        self.assertEqual(self.client.ask("OPTIONS", "/").status, 200)
        other = Client(self.client.port, "tablet", self.password("tablet"))
        self.assertEqual(other.ask("OPTIONS", "/").status, 200)
        # Any account of this machine could write this header.
        self.assertEqual(wrong.ask("OPTIONS", "/", X_Forwarded_For="192.0.2.1").status, 429)
        self.assertEqual(other.ask("OPTIONS", "/", X_Forwarded_For="192.0.2.1").status, 200)

    def test_pages_of_other_sites_do_nothing(self):
        self.laptop.add("Stays", "project:Home")
        for fields in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
                       {"Sec_Fetch_Site": "same-site"}):
            for method in ("DELETE", "OPTIONS", "GET"):
                answer = self.client.ask(method, "/lists/Home/", **fields)
                self.assertEqual(answer.status, 403, fields)
                self.assertNotIn("access-control-allow-origin", answer.headers)
        self.assertEqual(len(self.laptop.todos()), 1)

    def test_methods_that_are_none_say_which_are(self):
        for method, path, status in (("COPY", "/lists/inbox/", 405), ("LOCK", "/lists/inbox/a.ics", 405),
                                     ("POST", "/lists/inbox/", 405), ("PUT", "/lists/", 405), ("MOVE", "/lists/inbox/", 405),
                                     ("FROB", "/", 501)):
            answer = self.client.ask(method, path)
            self.assertEqual(answer.status, status, method)
            if status == 405:
                self.assertIn("PROPFIND", answer.headers["allow"])

    def test_documents_that_are_no_xml_or_too_much_are_refused(self):
        for body in ("<", "no", "<!DOCTYPE a [<!ENTITY b 'c'>]><d:propfind xmlns:d='DAV:'/>",
                     "<x/>", "<a>" * 100 + "</a>" * 100, "<d:propfind xmlns:d='DAV:'>" + "<d:prop/>" * 30_000 + "</d:propfind>"):
            self.assertEqual(self.client.ask("PROPFIND", "/", body, depth=0).status, 400, body[:60])
        for depth in (None, "infinity"):
            answer = self.client.ask("PROPFIND", "/", depth=depth)
            self.assertEqual((answer.status, answer.condition()), (403, "propfind-finite-depth"))
        self.assertEqual(self.client.ask("PROPFIND", "/", depth=2).status, 400)


class Doors(CaldavCase):
    def test_a_crowd_that_says_nothing_keeps_no_client_out(self):
        gateway, client = self.serve()
        crowd = []
        self.addCleanup(lambda: [one.close() for one in crowd])
        for _ in range(300):
            crowd.append(socket.create_connection(("127.0.0.1", gateway.port), WAIT_SECONDS))
            crowd[-1].sendall(b"PROPFIND / HTTP/1.1\r\nHost: x\r\n")
        self.assertEqual(client.find("/", "d:displayname").status, 207)
        # More than there are places for, of this address and of all: the oldest make room.
        for _ in range(400):
            crowd.append(socket.create_connection(("127.0.0.1", gateway.port), WAIT_SECONDS))
        for _ in range(5):
            self.assertEqual(client.find("/", "d:displayname").status, 207)

    def test_another_address_than_this_machine_needs_a_word(self):
        self.password()
        refused = self.laptop.run("caldav", "--listen", "0.0.0.0:{}".format(tandem.free_port()), codes=(tandem.USAGE,))
        self.assertIn("--insecure-listen", refused.errors)
        port = tandem.free_port()
        self.gateway("--listen", "0.0.0.0:{}".format(port), "--insecure-listen")
        self.assertEqual(Client(port, "phone", None).ask("OPTIONS", "/").status, 401)

    def test_a_second_gateway_of_a_store_is_refused(self):
        gateway, _ = self.serve()
        refused = self.laptop.run("caldav", "--port", str(tandem.free_port()), codes=(tandem.RETRY_LATER,))
        self.assertIn("127.0.0.1:{}".format(gateway.port), refused.errors)

    def test_the_command_links_neither_expat_nor_http(self):
        for program, wanted in ((tandem.BINARY, False),
                                (os.path.join(os.path.dirname(tandem.BINARY), "tandem-web"), True)):
            said = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
            needed = [line for line in said.splitlines() if "(NEEDED)" in line]
            self.assertTrue(needed)
            for name in ("microhttpd", "expat"):
                self.assertEqual(any(name in line for line in needed), wanted, (program, name))

    def test_the_daemon_serves_calendars_and_starts_their_program_again(self):
        client = Client(tandem.free_port(), "phone", self.password())
        self.laptop.add("Milk")
        daemon = self.laptop.start("daemon", "--listen", "127.0.0.1:{}".format(tandem.free_port()), "--caldav",
                                   str(client.port), "--notify", "none")
        self.addCleanup(daemon.wait, WAIT_SECONDS)
        self.addCleanup(daemon.terminate)
        eventually(self, lambda: client.find("/", "d:displayname").status == 207)
        eventually(self, lambda: self.laptop.status()["daemon"]["caldav"] == {
            "address": "http://127.0.0.1:{}/".format(client.port), "state": "serving"})
        token = client.token("/lists/inbox/")
        self.assertEqual(client.put("/lists/inbox/a.ics", vtodo("Bread")).status, 201)
        child, = children(daemon.pid)
        os.kill(child, signal.SIGKILL)
        # Whoever comes meanwhile waits: the port stays open.
        self.assertEqual(list(client.report("/lists/inbox/", sync(token)).statuses().values()), [200])
        self.assertEqual(sorted(self.laptop.titles()), ["Bread", "Milk"])

    @unittest.skipUnless(os.path.exists(NGINX), "nginx is missing (./Tools/setup --for-tests)")
    def test_behind_nginx_with_the_settings_of_the_page_all_goes_as_without(self):
        gateway, client = self.serve()
        folder, port = self.proxy_folder(), tandem.free_port()
        certificate, key = os.path.join(folder, "todo.pem"), os.path.join(folder, "todo.key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=" + NAME_OF_THE_PAGE, "-addext", "subjectAltName=DNS:" + NAME_OF_THE_PAGE,
             "-keyout", key, "-out", certificate], check=True, capture_output=True)
        # The whole of it, but for the ports and the files of a machine of one's own.
        server = replaced(settings("nginx"), {
            "listen 443 ssl": "listen 127.0.0.1:{} ssl".format(port), "/etc/ssl/todo.pem": certificate,
            "/etc/ssl/todo.key": key, PORT_OF_THE_PAGE: str(gateway.port)})
        with open(os.path.join(folder, "nginx.conf"), "w") as file:
            file.write(NGINX_SETTINGS.format(folder=folder, server=server))
        self.assertServed([NGINX, "-c", os.path.join(folder, "nginx.conf"), "-g", "daemon off;"], port, client, folder,
                          certificate)

    @unittest.skipUnless(os.path.exists(CADDY), "caddy is missing (./Tools/setup --for-tests)")
    def test_behind_caddy_with_the_settings_of_the_page_all_goes_as_without(self):
        gateway, client = self.serve()
        folder, port = self.proxy_folder(), tandem.free_port()
        # It gets the certificate by itself: from an authority of its own, as the test asks no network.
        site = replaced(settings("caddy"), {
            NAME_OF_THE_PAGE: "{}:{}".format(NAME_OF_THE_PAGE, port), PORT_OF_THE_PAGE: str(gateway.port)})
        with open(os.path.join(folder, "Caddyfile"), "w") as file:
            file.write("{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tauto_https disable_redirects\n"
                       "\tdefault_bind 127.0.0.1\n}\n" + site)
        self.assertServed([CADDY, "run", "--config", os.path.join(folder, "Caddyfile"), "--adapter", "caddyfile"],
                          port, client, folder, os.path.join(folder, "caddy", "pki", "authorities", "local", "root.crt"))

    def proxy_folder(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def assertServed(self, command, port, client, folder, certificate):
        """Starts a proxy at a port; a client that trusts its certificate can do what one without it can."""
        proxy = subprocess.Popen(command, env=dict(os.environ, HOME=folder, XDG_DATA_HOME=folder, XDG_CONFIG_HOME=folder),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(proxy.wait, WAIT_SECONDS)
        self.addCleanup(proxy.terminate)
        outside = self.outside(port, client.name, client.password, certificate)
        self.laptop.add("Milk", "project:Home")
        eventually(self, lambda: os.path.exists(certificate))
        eventually(self, lambda: outside.find("/", "d:displayname").status == 207)
        moved = outside.get("/.well-known/caldav")
        self.assertEqual(moved.status, 301)
        # The proxy may put its own address in front.
        self.assertRegex(moved.headers["location"], "^(https://{}:{})?/$".format(re.escape(NAME_OF_THE_PAGE), port))
        path, = outside.tags("/lists/Home/")
        answer = outside.get(path)
        self.assertEqual(answer.headers["etag"], client.get(path).headers["etag"])
        self.assertEqual(outside.put(path, answer.text.replace("Milk", "Cream"), If_Match=answer.headers["etag"]).status, 204)
        self.assertEqual(outside.report("/lists/Home/", sync()).statuses(), {path: 200})
        self.assertEqual(self.laptop.titles(), ["Cream"])
        # A name that the certificate is not of, and plain HTTP, get nothing.
        outside.host = "other.example.org"
        with self.assertRaises(ssl.SSLError):
            outside.find("/", "d:displayname")
        self.assertEqual(Client(port, client.name, client.password).ask("OPTIONS", "/").status, 400)
        wrong = self.outside(port, "phone", "wrong", certificate)
        self.assertEqual([wrong.ask("OPTIONS", "/").status for _ in range(22)], [401] * 20 + [429] * 2)


    def outside(self, port, name, password, certificate):
        client = Client(port, name, password)
        client.host, client.trust = NAME_OF_THE_PAGE, certificate
        return client


def replaced(text, changes):
    """A text with each of some parts replaced, which have to be there."""
    for old, new in changes.items():
        assert old in text, (old, text)
        text = text.replace(old, new)
    return text


def settings(proxy):
    """The settings of a proxy as docs/caldav.md shows them."""
    page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "caldav.md")
    with open(page) as file:
        return re.search("```{}\n(.*?)```".format(proxy), file.read(), re.DOTALL).group(1)


NAME_OF_THE_PAGE, PORT_OF_THE_PAGE = "todo.example.org", "7720"
NGINX_SETTINGS = """
pid {folder}/pid;
error_log /dev/null;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""


if __name__ == "__main__":
    unittest.main()
