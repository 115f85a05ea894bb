import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, Gateway } from './gateway.ts';
import { flatHeaders, type Listening, listen, readBody } from './listen.ts';

/** Puts a gateway on 127.0.0.1. Requests are taken one after the other, in the order their bodies ended. */
export function serveGateway(gateway: Gateway, port = 0): Promise<Listening> {
  return listen((request, response) => {
    serve(gateway, request, response).catch(() => response.destroy());
  }, port);
}

async function serve(gateway: Gateway, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const { method = 'GET', url = '/' } = request;
  await play(gateway.exchange({ method, target: url, headers: flatHeaders(request), body }), response);
}

async function play(exchange: Exchange, response: ServerResponse): Promise<void> {
  switch (exchange.kind) {
    case 'cut':
      response.destroy();
      break;
    case 'silence':
      break;
    case 'answer':
      await exchange.until;
      await send(exchange, response);
      break;
  }
}

async function send(exchange: Extract<Exchange, { kind: 'answer' }>, response: ServerResponse): Promise<void> {
  const { status, headers, body } = exchange.response;
  response.writeHead(status, {
    ...headers,
    ...(status === 204 || status === 304 ? {} : { 'content-length': String(body.byteLength) }),
  });
  if (!exchange.truncated) {
    response.end(body);
    return;
  }
  await new Promise((resolve) => response.write(body.subarray(0, body.byteLength / 2), resolve));
  response.destroy();
}
