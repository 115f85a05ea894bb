import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections above this share of the maximum are kept free of idle ones. */
const CROWDED_SHARE = 0.9;

/** Only a delivery with GitHub's signature is answered with it. */
const ACCEPTED = 202;

/**
 * Limits the server to `max` open connections. At nine tenths of it, each new connection closes the one that waits
 * longest for a complete request, so that idle strangers cannot lock out GitHub. Connections that have carried a signed
 * delivery go last, because closing one could lose the next delivery. There is no limit for each address, because
 * behind a proxy all connections have the same. `onClosed` is called for each closed connection.
 */
export function limitConnections(server: Server, max: number, onClosed: () => void): void {
  server.maxConnections = max;
  const open = new Set<Socket>();
  // Sets keep the order of insertion, so the first socket of each waits longest.
  const waiting = { strangers: new Set<Socket>(), senders: new Set<Socket>() };
  const senders = new WeakSet<Socket>();
  const stopWaiting = (socket: Socket): void => {
    waiting.strangers.delete(socket);
    waiting.senders.delete(socket);
  };
  const forget = (socket: Socket): void => {
    open.delete(socket);
    stopWaiting(socket);
  };
  const closeLongestWaiting = (): void => {
    const longest = firstOf(waiting.strangers) ?? firstOf(waiting.senders);
    if (longest === null) return;
    // The event 'close' comes later, after other connections have been accepted.
    forget(longest);
    longest.destroy();
    onClosed();
  };
  server.on('connection', (socket: Socket) => {
    if (open.size >= max * CROWDED_SHARE) closeLongestWaiting();
    open.add(socket);
    waiting.strangers.add(socket);
    socket.once('close', () => forget(socket));
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    onComplete(request, () => stopWaiting(socket));
    response.once('close', () => {
      stopWaiting(socket);
      if (response.statusCode === ACCEPTED) senders.add(socket);
      if (open.has(socket)) waiting[senders.has(socket) ? 'senders' : 'strangers'].add(socket);
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
}

function firstOf(sockets: ReadonlySet<Socket>): Socket | null {
  const [first] = sockets;
  return first ?? null;
}

/** Calls back once the whole request has arrived. A body that nobody reads does not arrive. */
function onComplete(request: IncomingMessage, callback: () => void): void {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  if (hasBody) request.once('end', callback);
  else callback();
}
