#!/bin/sh
# Runs a command in a sandbox that has no network: forwards a port of 127.0.0.1 to the Unix socket of `credsvc proxy` beside this
# file, and sets the variables that make clients use it. It needs socat, python3, node or perl, and contains no secret.
#
#   sh enter command [argument...]    runs a command
#   sh enter --forward [address]      only forwards, until it is stopped; for other containers, from 0.0.0.0
#
# CREDSVC_SANDBOX_TOKEN is needed only if the proxy was started without --sandbox.
set -u
here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd)
name=$(cat "$here/name")
port=7999
bind=127.0.0.1
socket=${CREDSVC_SANDBOX_SOCKET:-${here%/*}/mount/proxy.sock}
[ -S "$socket" ] || socket=$here/proxy.sock

fail() {
  printf 'credsvc: %s\n' "$1" >&2
  exit 1
}

[ $# -gt 0 ] || fail "expected a command, or --forward"
[ -S "$socket" ] || fail "$socket is not a socket; start outside of the sandbox: credsvc proxy --sandbox $name"

# The port in the format of /proc/net/tcp.
listening() {
  grep -q ":$(printf '%04X' "$port") [0-9A-F]*:0000 0A " /proc/net/tcp 2>/dev/null
}

forward() {
  if command -v socat >/dev/null 2>&1; then
    exec socat "TCP-LISTEN:$port,bind=$bind,reuseaddr,fork,backlog=1024" "UNIX-CONNECT:$socket"
  fi
  if command -v node >/dev/null 2>&1; then
    NODE_OPTIONS='' exec node -e '
      const net = require("net"), [, socket, port, bind] = process.argv
      net.createServer({ allowHalfOpen: true }, (client) => {
        const proxy = net.connect({ path: socket, allowHalfOpen: true })
        client.on("error", () => proxy.destroy())
        proxy.on("error", () => client.destroy())
        client.on("close", () => proxy.destroy())
        proxy.on("close", () => client.destroy())
        client.pipe(proxy)
        proxy.pipe(client)
      }).listen(Number(port), bind)' "$socket" "$port" "$bind"
  fi
  if command -v python3 >/dev/null 2>&1; then
    exec python3 -c '
import asyncio, sys
async def pump(reader, writer):
    try:
        while True:
            data = await reader.read(65536)
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()
async def serve(reader, writer):
    try:
        proxy_reader, proxy_writer = await asyncio.open_unix_connection(sys.argv[1])
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, proxy_writer), pump(proxy_reader, writer))
    writer.close()
    proxy_writer.close()
async def main():
    server = await asyncio.start_server(serve, sys.argv[3], int(sys.argv[2]))
    await server.serve_forever()
asyncio.run(main())' "$socket" "$port" "$bind"
  fi
  if command -v perl >/dev/null 2>&1; then
    exec perl -MIO::Socket::INET -MIO::Socket::UNIX -MIO::Select -e '
      $SIG{CHLD} = "IGNORE"; $SIG{PIPE} = "IGNORE";
      my ($path, $port, $bind) = @ARGV;
      my $server = IO::Socket::INET->new(LocalAddr => $bind, LocalPort => $port, Listen => 1024, ReuseAddr => 1) or exit 1;
      while (my $client = $server->accept) {
        next if fork;
        my $proxy = IO::Socket::UNIX->new(Peer => $path) or exit 1;
        my %other = ($client => $proxy, $proxy => $client);
        my $select = IO::Select->new($client, $proxy);
        while (my @ready = $select->can_read) {
          for my $from (@ready) {
            my $to = $other{$from};
            my $data;
            if (!sysread($from, $data, 65536)) { $select->remove($from); shutdown($to, 1); next }
            for (my $sent = 0; $sent < length $data;) {
              my $count = syswrite($to, $data, length($data) - $sent, $sent);
              exit unless defined $count;
              $sent += $count;
            }
          }
        }
        exit;
      }' "$socket" "$port" "$bind"
  fi
  fail "the sandbox needs socat, node, python3 or perl to reach the proxy"
}

if [ "$1" = --forward ]; then
  bind=${2:-$bind}
  forward
fi

if listening; then fail "port $port of 127.0.0.1 is in use; the sandbox needs a network of its own"; fi
main=$$
# Ends the forwarder with the command, which replaces this shell. A command that is killed cannot do that itself.
(
  forward &
  forwarder=$!
  while kill -0 "$main" 2>/dev/null && kill -0 "$forwarder" 2>/dev/null; do sleep 1; done
  kill "$forwarder" 2>/dev/null
) </dev/null >/dev/null &
waited=0
until listening; do
  waited=$((waited + 1))
  [ "$waited" -le 100 ] || fail "the forwarder did not start"
  sleep 0.1 2>/dev/null || sleep 1
done

while IFS= read -r line; do export "${line?}"; done <"$here/env"
login=${CREDSVC_SANDBOX_TOKEN:+$name:$CREDSVC_SANDBOX_TOKEN@}
while IFS= read -r variable; do export "$variable=http://${login}127.0.0.1:$port"; done <"$here/proxy-variables"
exec "$@"
