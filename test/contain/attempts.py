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


# The network

@attempt("tcp to the daemon")
def _():
    connection = socket.create_connection(("127.0.0.1", fixtures["daemonPort"]), 5)
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % fixtures["daemonPort"])
    require(b"HTTP/1.1" in connection.recv(4096))

@attempt("tcp to another service on 127.0.0.1")
def _():
    exchange(socket.create_connection(("127.0.0.1", fixtures["tcpPort"]), 5))

@attempt("tcp to another service on ::1")
def _():
    exchange(socket.create_connection(("::1", fixtures["tcp6Port"]), 5))

@attempt("tcp to 0.0.0.0, which is this machine")
def _():
    exchange(socket.create_connection(("0.0.0.0", fixtures["tcpPort"]), 5))

@attempt("tcp to the machine's own address")
def _():
    exchange(socket.create_connection((fixtures["machineAddress"], fixtures["machinePort"]), 5))

@attempt("udp to a service on 127.0.0.1")
def _():
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect(("127.0.0.1", fixtures["udpPort"]))
    exchange(client)

@attempt("a route to public IPv4 addresses")
def _():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 443))

@attempt("a route to metadata addresses")
def _():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("169.254.169.254", 80))

@attempt("a dns query to a server of its own choice")
def _():
    query = bytes.fromhex("abcd01000001000000000000") + b"\x06secret\x04data\x00\x00\x10\x00\x01"
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect(("127.0.0.1", fixtures["udpPort"]))
    exchange(client, query)

@attempt("the network interfaces of the machine")
def _():
    require(len(os.listdir("/sys/class/net")) > 1 and len(open("/proc/net/dev").read().splitlines()) > 3)

@attempt("an abstract unix socket")
def _():
    client = socket.socket(socket.AF_UNIX)
    client.connect("\0" + fixtures["abstractSocket"])
    exchange(client)

def to_socket(name, path):
    @attempt(name)
    def _():
        client = socket.socket(socket.AF_UNIX)
        client.connect(path)
        exchange(client)

for name, path in fixtures["sockets"].items():
    to_socket(name, path)

@attempt("the ssh-agent of the environment")
def _():
    client = socket.socket(socket.AF_UNIX)
    client.connect(os.environ["SSH_AUTH_SOCK"])
    exchange(client)

@attempt("a socket of the host of a virtual machine (AF_VSOCK)")
def _():
    socket.socket(40, socket.SOCK_STREAM)

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
    connection = socket.create_connection((host, int(port)), 5)
    connection.settimeout(10)
    return connection, b"Proxy-Authorization: Basic " + base64.b64encode(user.encode()) + b"\r\n"

def through_proxy(name, target):
    @attempt("through the proxy of the run: " + name)
    def _():
        connection, authorization = proxy()
        connection.sendall(b"CONNECT %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (target.encode(), authorization))
        require(b" 200 " in connection.recv(4096))
        exchange(connection)

for name, target in fixtures["proxyTargets"].items():
    through_proxy(name, target)

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

@attempt("the proxy of another run, which injects for its user")
def _():
    with_other_run(socket.create_connection(("127.0.0.1", fixtures["otherProxyPort"]), 5))

@attempt("through the proxy of the run: the proxy of another run")
def _():
    connection, authorization = proxy()
    connection.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n%s\r\n" % (fixtures["otherProxyPort"], authorization))
    require(b" 200 " in connection.recv(4096))
    with_other_run(connection)


# Files

def reading(name, path):
    @attempt(name)
    def _():
        read(path)

for name, path in fixtures["reads"].items():
    reading(name, path)

@attempt("the key file through a symbolic link")
def _():
    os.symlink(fixtures["keyFile"], "link-to-key")
    try:
        read("link-to-key")
    finally:
        os.unlink("link-to-key")

@attempt("the key file through a hard link")
def _():
    os.link(fixtures["keyFile"], "hard-link-to-key")
    try:
        read("hard-link-to-key")
    finally:
        os.unlink("hard-link-to-key")

@attempt("the key file through /proc/self/root")
def _():
    read("/proc/self/root" + fixtures["keyFile"])

@attempt("the key file through the root of the first process")
def _():
    read("/proc/1/root" + fixtures["keyFile"])

@attempt("the key file relative to the working directory")
def _():
    read(os.path.relpath(fixtures["keyFile"]))

@attempt("a new file in the home of credsvc")
def _():
    write(os.path.join(fixtures["home"], "new"))

@attempt("the start file of the user's shell")
def _():
    write(os.path.expanduser("~/.profile"))

@attempt("a new file next to the working directory")
def _():
    write("../next-to-it")

@attempt("a hook of the repository")
def _():
    write(".git/hooks/post-checkout")

@attempt("the configuration of the repository")
def _():
    write(".git/config")

@attempt("other hooks by renaming their directory")
def _():
    os.rename(".git/hooks", ".git/hooks-away")
    os.rename(".git/hooks-away", ".git/hooks")

@attempt("another repository by renaming it")
def _():
    os.rename(".git", ".git-away")
    os.rename(".git-away", ".git")

@attempt("a hook of a nested repository")
def _():
    write("nested/.git/hooks/post-checkout")

@attempt("another repository in place of a nested one")
def _():
    os.rename("nested", "nested-away")
    os.rename("nested-away", "nested")

@attempt("a descriptor that the shell left open")
def _():
    require(b"inherited" in os.read(fixtures["descriptor"], 100))

@attempt("shared memory in /dev/shm")
def _():
    read(fixtures["sharedFile"])

@attempt("shared memory of System V")
def _():
    libc.shmget.restype = ctypes.c_int
    require(libc.shmget(fixtures["sharedKey"], 0, 0) >= 0)


# Processes

@attempt("the list of the machine's processes")
def _():
    require(os.path.exists("/proc/%d" % fixtures["daemonPid"]))
    require(b"node" in open("/proc/%d/cmdline" % fixtures["daemonPid"], "rb").read())

@attempt("a signal to the daemon")
def _():
    os.kill(fixtures["daemonPid"], 0)
    require(b"node" in open("/proc/%d/cmdline" % fixtures["daemonPid"], "rb").read())

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
    child = os.fork()
    if child == 0:
        time.sleep(20)
        os._exit(0)
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
    child = os.fork()
    if child == 0:
        time.sleep(20)
        os._exit(0)
    try:
        syscall(310, 270, child, ctypes.byref(one), 1, ctypes.byref(one), 1, 0)
    finally:
        os.kill(child, signal.SIGKILL)

@attempt("new privileges by a setuid program")
def _():
    require(libc.prctl(39, 0, 0, 0, 0) == 0)

@attempt("capabilities")
def _():
    require(any(line.startswith("CapBnd:") and int(line.split()[1], 16) != 0 for line in open("/proc/self/status")))

@attempt("a new user namespace")
def _():
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
    require(os.waitpid(child, 0)[1] == 0)

@attempt("a new user namespace by clone3")
def _():
    arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
    child = syscall(435, 435, arguments, 88)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

@attempt("a mount in a namespace of its own")
def _():
    child = os.fork()
    if child == 0:
        if libc.unshare(0x10020000) != 0:
            os._exit(1)
        os._exit(0 if libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) == 0 else 1)
    require(os.waitpid(child, 0)[1] == 0)

@attempt("the kernel's key store")
def _():
    syscall(248, 217, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"credsvc-escape"), ctypes.c_char_p(b"x"), 1, -2)

@attempt("typing into the terminal (TIOCSTI)")
def _():
    child, terminal = pty.fork()
    if child == 0:
        try:
            fcntl.ioctl(0, termios.TIOCSTI, b"!")
            os._exit(0)
        except OSError:
            os._exit(1)
    require(os.waitpid(child, 0)[1] == 0)

@attempt("typing into the terminal with bits that the kernel ignores")
def _():
    child, terminal = pty.fork()
    if child == 0:
        libc.syscall.restype = ctypes.c_long
        result = libc.syscall(ctypes.c_long(16 if X64 else 29), ctypes.c_long(0), ctypes.c_ulong(0x100000000 | 0x5412), ctypes.c_char_p(b"!"))
        os._exit(0 if result == 0 else 1)
    require(os.waitpid(child, 0)[1] == 0)


# For root only

def as_root(name):
    return attempt("as root: " + name)

@as_root("where core files of the machine go")
def _():
    os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))

@as_root("other settings of the kernel")
def _():
    os.close(os.open("/proc/sys/kernel/modprobe", os.O_WRONLY))

@as_root("the magic keys of the machine")
def _():
    os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY))

@as_root("the mode of the program that creates the namespaces")
def _():
    os.chmod("/proc/1/exe", os.stat("/proc/1/exe").st_mode & 0o7777)

@as_root("a new device")
def _():
    os.mknod("device", 0o20600, os.makedev(1, 3))
    os.unlink("device")

@as_root("the password file")
def _():
    read("/etc/shadow")

@as_root("performance events of the kernel")
def _():
    attributes = ctypes.create_string_buffer(128)
    attributes[4] = 112
    attributes[0] = 1
    os.close(syscall(298, 241, attributes, 0, -1, -1, 0))

@as_root("a program in the kernel (bpf)")
def _():
    attributes = ctypes.create_string_buffer(128)
    # BPF_MAP_CREATE of an array with one entry.
    for at, value in enumerate([2, 4, 4, 1]):
        attributes[at * 4] = value
    os.close(syscall(321, 280, 0, attributes, 72))

@as_root("page faults of the kernel (userfaultfd)")
def _():
    os.close(syscall(323, 282, 0))

@as_root("another root directory")
def _():
    child = os.fork()
    if child == 0:
        try:
            os.chroot(".")
            os._exit(0)
        except OSError:
            os._exit(1)
    require(os.waitpid(child, 0)[1] == 0)


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
