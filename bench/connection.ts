import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

/**
 * A kept connection to a server of webhooks on which one request follows the other. It reads of an answer no more than where it
 * ends: sender and server share the machine, and what the sender takes is missing where the server's database works.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #host: string;
  #answered: ((status: number) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;
  #read = '';

  static async open(url: string): Promise<Connection> {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket, host);
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('close', () => this.#failed?.(new Error('The server closed the connection before it answered.')));
    socket.on('error', (error) => this.#failed?.(error));
  }

  /** Posts what is given; resolves with the answer's status, and rejects where there is none. */
  post(path: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    [this.#answered, this.#failed] = [resolve, reject];
    const lines = Object.entries({ host: this.#host, ...headers }).map(([name, value]) => `${name}: ${value}`);
    this.#socket.cork();
    this.#socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1');
    this.#socket.write(body);
    this.#socket.uncork();
    return promise;
  }

  close(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#read += text;
    const length = lengthOf(this.#read);
    if (length === null || this.#read.length < length) return;
    const status = Number(this.#read.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#read = this.#read.slice(length);
    this.#answered?.(status);
  }
}

/** Where the answer that these letters begin ends; null where they do not tell yet. */
function lengthOf(read: string): number | null {
  const end = read.indexOf(HEAD_END);
  if (end < 0) return null;
  const head = read.slice(0, end).toLowerCase();
  const body = end + HEAD_END.length;
  const [, length] = /\r\ncontent-length: *(\d+)/.exec(head) ?? [];
  if (length !== undefined) return body + Number(length);
  if (!head.includes('\r\ntransfer-encoding: chunked')) return body;
  const last = read.indexOf('0\r\n\r\n', body);
  return last < 0 ? null : last + '0\r\n\r\n'.length;
}
