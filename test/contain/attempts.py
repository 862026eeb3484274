"""Attempts to escape from a contained run. Each returns if it succeeds and raises an exception if it fails.

`python3 attempts.py <fixtures.json>` runs all of them, each in its own process, and prints the results as JSON.
"""
import ctypes
import fcntl
import json
import os
import pty
import select
import signal
import socket
import ssl
import subprocess
import sys
import termios
import time

fixtures = json.load(open(sys.argv[1]))
libc = ctypes.CDLL(None, use_errno=True)
X64 = os.uname().machine == "x86_64"
attempts = {}


def attempt(name):
    def register(function):
        attempts[name] = function
        return function
    return register


def syscall(x64, arm64, *args):
    libc.syscall.restype = ctypes.c_long
    result = libc.syscall(ctypes.c_long(x64 if X64 else arm64), *[ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def require(condition):
    if not condition:
        raise Exception("no success")


def exchange(connection, text=b"hello\n"):
    connection.settimeout(5)
    connection.sendall(text)
    require(b"OUTSIDE" in connection.recv(4096))


def read(path):
    with open(path, "rb") as file:
        require(len(file.read(100000)) > 0)


def write(path):
    with open(path, "a") as file:
        file.write("# escaped\n")


def tcp(host, port):
    return socket.create_connection((host, port), 5)


def connect(family, address, kind=socket.SOCK_STREAM):
    client = socket.socket(family, kind)
    client.connect(address)
    return client


def udp(host, port):
    return connect(socket.AF_INET, (host, port), socket.SOCK_DGRAM)


# The network

@attempt("tcp to the daemon")
def _():
    connection = tcp("127.0.0.1", fixtures["daemonPort"])
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % fixtures["daemonPort"])
    require(b"HTTP/1.1" in connection.recv(4096))

QUERY = bytes.fromhex("abcd01000001000000000000") + b"\x06secret\x04data\x00\x00\x10\x00\x01"

attempts.update({
    "tcp to another service on 127.0.0.1": lambda: exchange(tcp("127.0.0.1", fixtures["tcpPort"])),
    "tcp to another service on ::1": lambda: exchange(tcp("::1", fixtures["tcp6Port"])),
    "tcp to 0.0.0.0, which is this machine": lambda: exchange(tcp("0.0.0.0", fixtures["tcpPort"])),
    "tcp to the machine's own address": lambda: exchange(tcp(fixtures["machineAddress"], fixtures["machinePort"])),
    "udp to a service on 127.0.0.1": lambda: exchange(udp("127.0.0.1", fixtures["udpPort"])),
    "a route to public IPv4 addresses": lambda: udp("192.0.2.1", 443),
    "a route to metadata addresses": lambda: udp("169.254.169.254", 80),
    "a dns query to a server of its own choice": lambda: exchange(udp("127.0.0.1", fixtures["udpPort"]), QUERY),
    "the network interfaces of the machine": lambda: require(
        len(os.listdir("/sys/class/net")) > 1 and len(open("/proc/net/dev").read().splitlines()) > 3
    ),
    "an abstract unix socket": lambda: exchange(connect(socket.AF_UNIX, "\0" + fixtures["abstractSocket"])),
    "the ssh-agent of the environment": lambda: exchange(connect(socket.AF_UNIX, os.environ["SSH_AUTH_SOCK"])),
    "a socket of the host of a virtual machine (AF_VSOCK)": lambda: socket.socket(40, socket.SOCK_STREAM),
})

for name, path in fixtures["sockets"].items():
    attempts[name] = lambda path=path: exchange(connect(socket.AF_UNIX, path))

@attempt("a socket without the socket call (io_uring)")
def _():
    parameters = ctypes.create_string_buffer(120)
    syscall(425, 425, 8, parameters)


# The proxy of the run

def proxy():
    address = os.environ["HTTPS_PROXY"].rsplit("@", 1)[1]
    user = os.environ["HTTPS_PROXY"].split("//", 1)[1].rsplit("@", 1)[0]
    import base64
    host, port = address.split(":")
    connection = tcp(host, int(port))
    connection.settimeout(10)
    return connection, b"Proxy-Authorization: Basic " + base64.b64encode(user.encode()) + b"\r\n"

def tunnel(target):
    connection, authorization = proxy()
    connection.sendall(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (target.encode(), authorization))
    require(b" 200 " in connection.recv(4096))
    return connection

for name, target in fixtures["proxyTargets"].items():
    attempts["through the proxy of the run: " + name] = lambda target=target: exchange(tunnel(target))

@attempt("through the proxy of the run: a plain request to 127.0.0.1")
def _():
    connection, authorization = proxy()
    target = "127.0.0.1:%d" % fixtures["tcpPort"]
    connection.sendall(b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (target.encode(), target.encode(), authorization))
    require(b"OUTSIDE" in connection.recv(4096))

def with_other_run(connection):
    connection.sendall(b"CONNECT api.demo.test:443 HTTP/1.1\r\nHost: api.demo.test:443\r\n\r\n")
    require(b" 200 " in connection.recv(4096))
    context = ssl._create_unverified_context()
    secure = context.wrap_socket(connection, server_hostname="api.demo.test")
    secure.sendall(b"GET /v1/whoami HTTP/1.1\r\nHost: api.demo.test\r\nConnection: close\r\n\r\n")
    answer = b""
    while chunk := secure.recv(4096):
        answer += chunk
    require(b"Ada" in answer)

attempts.update({
    "the proxy of another run, which injects for its user": lambda: with_other_run(
        tcp("127.0.0.1", fixtures["otherProxyPort"])
    ),
    "through the proxy of the run: the proxy of another run": lambda: with_other_run(
        tunnel("127.0.0.1:%d" % fixtures["otherProxyPort"])
    ),
})


# Files

def read_link(create, name):
    create(fixtures["keyFile"], name)
    try:
        read(name)
    finally:
        os.unlink(name)

def rename(path):
    os.rename(path, path + "-away")
    os.rename(path + "-away", path)

for name, path in fixtures["reads"].items():
    attempts[name] = lambda path=path: read(path)

attempts.update({
    "the key file through a symbolic link": lambda: read_link(os.symlink, "link-to-key"),
    "the key file through a hard link": lambda: read_link(os.link, "hard-link-to-key"),
    "the key file through /proc/self/root": lambda: read("/proc/self/root" + fixtures["keyFile"]),
    "the key file through the root of the first process": lambda: read("/proc/1/root" + fixtures["keyFile"]),
    "the key file relative to the working directory": lambda: read(os.path.relpath(fixtures["keyFile"])),
    "a new file in the home of credsvc": lambda: write(os.path.join(fixtures["home"], "new")),
    "the start file of the user's shell": lambda: write(os.path.expanduser("~/.profile")),
    "a new file next to the working directory": lambda: write("../next-to-it"),
    "a hook of the repository": lambda: write(".git/hooks/post-checkout"),
    "the configuration of the repository": lambda: write(".git/config"),
    "other hooks by renaming their directory": lambda: rename(".git/hooks"),
    "another repository by renaming it": lambda: rename(".git"),
    "a hook of a nested repository": lambda: write("nested/.git/hooks/post-checkout"),
    "another repository in place of a nested one": lambda: rename("nested"),
    "a descriptor that the shell left open": lambda: require(b"inherited" in os.read(fixtures["descriptor"], 100)),
    "shared memory in /dev/shm": lambda: read(fixtures["sharedFile"]),
    "shared memory of System V": lambda: require(libc.shmget(fixtures["sharedKey"], 0, 0) >= 0),
})


# Processes

def require_daemon():
    require(b"node" in open("/proc/%d/cmdline" % fixtures["daemonPid"], "rb").read())

def in_child(function, fork=os.fork):
    """Requires that the function returns true in a child process."""
    child = fork()
    if child == 0:
        try:
            os._exit(0 if function() else 1)
        except Exception:
            os._exit(1)
    require(os.waitpid(child, 0)[1] == 0)

def on_terminal(function):
    in_child(function, lambda: pty.fork()[0])

def waiting_child():
    child = os.fork()
    if child == 0:
        time.sleep(20)
        os._exit(0)
    return child

@attempt("a signal to the daemon")
def _():
    os.kill(fixtures["daemonPid"], 0)
    require_daemon()

@attempt("the environment of the run")
def _():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if b"CREDSVC_MASTER_KEY=" in open("/proc/%s/environ" % name, "rb").read():
                    return
            except OSError:
                pass
    raise Exception("not found")

@attempt("debugging a child process")
def _():
    child = waiting_child()
    try:
        syscall(101, 117, 16, child, 0, 0)
        os.waitpid(child, 0)
        syscall(101, 117, 17, child, 0, 0)
    finally:
        os.kill(child, signal.SIGKILL)

@attempt("the memory of another process")
def _():
    own = ctypes.create_string_buffer(8)
    class Range(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    one = Range(ctypes.addressof(own), 8)
    child = waiting_child()
    try:
        syscall(310, 270, child, ctypes.byref(one), 1, ctypes.byref(one), 1, 0)
    finally:
        os.kill(child, signal.SIGKILL)

@attempt("a new user namespace by clone3")
def _():
    arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
    child = syscall(435, 435, arguments, 88)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

@attempt("the kernel's key store")
def _():
    syscall(248, 217, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"credsvc-escape"), ctypes.c_char_p(b"x"), 1, -2)

@attempt("typing into the terminal with bits that the kernel ignores")
def _():
    request = ctypes.c_ulong(0x100000000 | 0x5412)
    on_terminal(lambda: libc.syscall(ctypes.c_long(16 if X64 else 29), ctypes.c_long(0), request, ctypes.c_char_p(b"!")) == 0)

attempts.update({
    "the list of the machine's processes": require_daemon,
    "new privileges by a setuid program": lambda: require(libc.prctl(39, 0, 0, 0, 0) == 0),
    "capabilities": lambda: require(
        any(line.startswith("CapBnd:") and int(line.split()[1], 16) != 0 for line in open("/proc/self/status"))
    ),
    "a new user namespace": lambda: in_child(lambda: libc.unshare(0x10000000) == 0),
    "a mount in a namespace of its own": lambda: in_child(
        lambda: libc.unshare(0x10020000) == 0 and libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) == 0
    ),
    "typing into the terminal (TIOCSTI)": lambda: on_terminal(lambda: fcntl.ioctl(0, termios.TIOCSTI, b"!") is not None),
})


# For root only

@attempt("as root: a new device")
def _():
    os.mknod("device", 0o20600, os.makedev(1, 3))
    os.unlink("device")

@attempt("as root: performance events of the kernel")
def _():
    attributes = ctypes.create_string_buffer(128)
    attributes[4] = 112
    attributes[0] = 1
    os.close(syscall(298, 241, attributes, 0, -1, -1, 0))

@attempt("as root: a program in the kernel (bpf)")
def _():
    attributes = ctypes.create_string_buffer(128)
    # BPF_MAP_CREATE of an array with one entry.
    for at, value in enumerate([2, 4, 4, 1]):
        attributes[at * 4] = value
    os.close(syscall(321, 280, 0, attributes, 72))

def open_to_write(path):
    os.close(os.open(path, os.O_WRONLY))

attempts.update({
    "as root: where core files of the machine go": lambda: open_to_write("/proc/sys/kernel/core_pattern"),
    "as root: other settings of the kernel": lambda: open_to_write("/proc/sys/kernel/modprobe"),
    "as root: the magic keys of the machine": lambda: open_to_write("/proc/sysrq-trigger"),
    "as root: the mode of the program that creates the namespaces": lambda: os.chmod(
        "/proc/1/exe", os.stat("/proc/1/exe").st_mode & 0o7777
    ),
    "as root: the password file": lambda: read("/etc/shadow"),
    "as root: page faults of the kernel (userfaultfd)": lambda: os.close(syscall(323, 282, 0)),
    "as root: another root directory": lambda: in_child(lambda: os.chroot(".") is None),
})


def result_of(function):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            function()
            text = "succeeded"
        except BaseException as error:
            text = "%s: %s" % (type(error).__name__, error)
        os.write(writer, text.encode()[:1000])
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], 20)
    text = os.read(reader, 1000).decode() if ready else "timed out"
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return text


names = [name for name in attempts if os.getuid() == 0 or not name.startswith("as root: ")]
print(json.dumps({name: result_of(attempts[name]) for name in names}))
