import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Must be called once each response has been given to Node, before the sender has read it. */
type OnAnswered = (socket: Socket, wasSigned: boolean) => void;

/** The connections above this share of the maximum are kept free of idle ones. */
const CROWDED_SHARE = 0.9;

/**
 * Limits the server to `max` open connections. At nine tenths of it, each new one closes the one that waits longest for
 * a request, or for its sender to read the response, so that idle strangers cannot lock out GitHub; `onClosed` is
 * called then. There is no limit for each address, because behind a proxy all connections have the same.
 */
export function limitConnections(server: Server, max: number, onClosed: () => void): OnAnswered {
  server.maxConnections = max;
  const open = new Set<Socket>();
  // Sets keep the order of insertion, so the first socket of each waits longest. Senders have carried a signed
  // delivery: they go last, because closing one could lose the next delivery.
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
  const onRequest = (request: IncomingMessage): void => onComplete(request, () => stopWaiting(request.socket));
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, onRequest);
  return (socket, wasSigned) => {
    stopWaiting(socket);
    if (wasSigned) senders.add(socket);
    if (open.has(socket)) waiting[senders.has(socket) ? 'senders' : 'strangers'].add(socket);
  };
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
