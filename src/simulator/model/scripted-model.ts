import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../../trust.ts';
import { flatHeaders, listen, readBody } from '../http/listen.ts';
import { completion, emptyCompletion } from './completion.ts';
import { readChat } from './read-chat.ts';
import type { ChatRequest, ModelFault, ModelTurn, ScriptEntry, ScriptedAnswer } from './script.ts';

export type ScriptedModelOptions = {
  /** When set, any other bearer token is answered 401. */
  readonly apiKey?: string;
  /** Names `GET /models` lists. */
  readonly models?: readonly string[];
  readonly port?: number;
  readonly now?: () => number;
};

/** A model that says what a script says, over the Chat Completions protocol. */
export type ScriptedModel = {
  /** Base URL for a client, ending in `/v1`; the same paths answer without it. */
  readonly url: string;
  /** The key that it takes; null where it takes any. */
  readonly apiKey: string | null;
  /** Appends answers to the queue; each request takes one. */
  readonly script: (...entries: readonly ScriptEntry[]) => void;
  /** What to answer when the queue is empty; without it an empty queue is a violation. */
  readonly otherwise: (entry: ScriptEntry) => void;
  /** Answers left in the queue. */
  readonly remaining: () => number;
  /** Valid requests, oldest first. */
  readonly requests: readonly ChatRequest[];
  /** Everything that was wrong with what the client sent; a story ends with none. */
  readonly violations: readonly string[];
  readonly close: () => Promise<void>;
};

type Session = {
  readonly options: ScriptedModelOptions;
  readonly queue: ScriptEntry[];
  readonly requests: ChatRequest[];
  readonly violations: string[];
  fallback: ScriptEntry | undefined;
  served: number;
};

/** Starts a scripted model on 127.0.0.1. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const session: Session = { options, queue: [], requests: [], violations: [], fallback: undefined, served: 0 };
  const server = await listen((request, response) => {
    serve(session, request, response).catch(() => response.destroy());
  }, options.port);
  return {
    url: `${server.url}/v1`,
    apiKey: options.apiKey ?? null,
    script: (...entries) => void session.queue.push(...entries),
    otherwise: (entry) => {
      session.fallback = entry;
    },
    remaining: () => session.queue.length,
    requests: session.requests,
    violations: session.violations,
    close: server.close,
  };
}

async function serve(session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').replace(/^\/v1(?=\/)/, '');
  const headers = flatHeaders(request);
  const body = await readBody(request);
  const { apiKey } = session.options;
  if (apiKey !== undefined && headers['authorization'] !== `Bearer ${apiKey}`) {
    return sendError(response, 401, 'Incorrect API key provided.', 'invalid_api_key');
  }
  const call = `${request.method} ${path}`;
  if (call === 'GET /models') return sendModels(session, response);
  if (call !== 'POST /chat/completions') return refuse(session, response, 404, [`${call}: unknown URL`]);
  return serveChat(session, headers, body, response);
}

async function serveChat(
  session: Session,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  response: ServerResponse,
): Promise<void> {
  const read = readChat(jsonOrUndefined(body), headers);
  if (!read.ok) return refuse(session, response, 400, read.problems);
  session.requests.push(read.request);
  const entry = session.queue.shift() ?? session.fallback;
  if (entry === undefined) return refuse(session, response, 400, ['the script has no answer left']);
  const answer = typeof entry === 'function' ? entry(read.request) : entry;
  return play(session, answer, read.request, response);
}

function jsonOrUndefined(body: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

async function play(
  session: Session,
  answer: ScriptedAnswer,
  request: ChatRequest,
  response: ServerResponse,
): Promise<void> {
  if ('fault' in answer) return fail(session, answer, request, response);
  return say(session, answer, request, response);
}

async function say(session: Session, turn: ModelTurn, request: ChatRequest, response: ServerResponse): Promise<void> {
  await turn.until;
  sendJson(response, 200, completion(turn, request, nextSerial(session), now(session)));
}

function fail(session: Session, fault: ModelFault, request: ChatRequest, response: ServerResponse): void {
  switch (fault.fault) {
    case 'status':
      sendJson(response, fault.status, fault.body ?? errorBody('Scripted failure.', 'scripted'), fault.headers);
      break;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end(fault.body);
      break;
    case 'empty-choices':
      sendJson(response, 200, emptyCompletion(request, nextSerial(session), now(session)));
      break;
    case 'reset':
      response.destroy();
      break;
    case 'hang':
      break;
  }
}

function nextSerial(session: Session): number {
  session.served += 1;
  return session.served;
}

function now(session: Session): number {
  return (session.options.now ?? Date.now)();
}

function sendModels(session: Session, response: ServerResponse): void {
  const names = session.options.models ?? ['scripted'];
  const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulator' }));
  sendJson(response, 200, { object: 'list', data });
}

function refuse(session: Session, response: ServerResponse, status: number, problems: readonly string[]): void {
  session.violations.push(...problems);
  sendError(response, status, problems.join('; '), 'invalid_request');
}

function sendError(response: ServerResponse, status: number, message: string, code: string): void {
  sendJson(response, status, errorBody(message, code));
}

function errorBody(message: string, code: string): unknown {
  return { error: { message, type: 'invalid_request_error', param: null, code } };
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
