import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJson } from '../../src/lib/trust.ts';
import { flattenHeaders, readIncomingBody, startLocalServer } from '../lib/http-server.ts';
import { APIS, type FakeApi } from './apis.ts';
import type { ChatRequest, ScriptEntry, ScriptedFault, ScriptedTurn } from './script.ts';
import { signTurn } from './signatures.ts';
import { sendStream } from './stream.ts';

type ScriptedModelOptions = {
  /** If set, a request with any other bearer token gets a 401. */
  readonly apiKey?: string;
  /** Model names that `GET /models` lists. */
  readonly models?: readonly string[];
  readonly port?: number;
  readonly now?: () => number;
};

/** A fake model that sends scripted answers through the Chat Completions API and the Responses API. */
export type ScriptedModel = {
  /** Base URL for a client, ending in `/v1`. The paths also work without the `/v1`. */
  readonly url: string;
  /** The required API key; null accepts any key. */
  readonly apiKey: string | null;
  /** Appends answers to the queue. Each valid request takes one. */
  readonly script: (...entries: readonly ScriptEntry[]) => void;
  /** Sets the answer for an empty queue. By default, a request is a violation if the queue is empty. */
  readonly setFallback: (entry: ScriptEntry) => void;
  /** From now on, the endpoint is as strict as these rules say. */
  readonly setRules: (rules: EndpointRules) => void;
  /** Answers the checks of the App, which are no requests of a run. By default, the model is ready. */
  readonly answerChecks: (entry: ScriptEntry) => void;
  /** Valid checks, oldest first. */
  readonly checks: readonly ChatRequest[];
  /** Number of answers left in the queue. */
  readonly remaining: () => number;
  /** Valid requests, oldest first. */
  readonly requests: readonly ChatRequest[];
  /** Errors in the requests of the client. Tests expect none. */
  readonly violations: readonly string[];
  readonly close: () => Promise<void>;
};

/** The differences between real endpoints. */
type EndpointRules = {
  /** A request with one of them gets a 400 that names it, which is no violation. */
  readonly refusedParameters?: readonly string[];
  /** A message of the user right after another or after results gets a 500, as from a template of Mistral's family. */
  readonly alternatingRoles?: boolean;
  /** Each call gets a signature or a thought, and a history without it is a violation. */
  readonly signatures?: boolean;
  /** Chat Completions refuse tools beside reasoning, as OpenAI's newest models do. */
  readonly noToolsBesideReasoning?: boolean;
};

type ModelSession = {
  readonly options: ScriptedModelOptions;
  readonly queue: ScriptEntry[];
  readonly requests: ChatRequest[];
  readonly checks: ChatRequest[];
  readonly violations: string[];
  /** Names of members that this endpoint sent beside the usual ones. */
  readonly members: Set<string>;
  rules: EndpointRules;
  fallback: ScriptEntry | undefined;
  checkAnswer: ScriptEntry;
  served: number;
};

/** Starts a scripted model on 127.0.0.1. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const session: ModelSession = {
    ...{ options, queue: [], requests: [], checks: [], violations: [], members: new Set<string>() },
    ...{ rules: {}, fallback: undefined, checkAnswer: { content: 'Ready.' }, served: 0 },
  };
  const server = await startLocalServer((request, response) => {
    handleModelRequest(session, request, response).catch(() => response.destroy());
  }, options.port);
  return {
    url: `${server.url}/v1`,
    apiKey: options.apiKey ?? null,
    script: (...entries) => void session.queue.push(...entries),
    setFallback: (entry) => {
      session.fallback = entry;
    },
    setRules: (rules) => {
      session.rules = rules;
    },
    answerChecks: (entry) => {
      session.checkAnswer = entry;
    },
    checks: session.checks,
    remaining: () => session.queue.length,
    requests: session.requests,
    violations: session.violations,
    close: server.close,
  };
}

async function handleModelRequest(
  session: ModelSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').replace(/^\/v1(?=\/)/, '');
  const headers = flattenHeaders(request);
  const body = await readIncomingBody(request);
  const { apiKey } = session.options;
  if (apiKey !== undefined && headers['authorization'] !== `Bearer ${apiKey}`) {
    return sendError(response, 401, 'Incorrect API key provided.', 'invalid_api_key');
  }
  const call = `${request.method} ${path}`;
  if (call === 'GET /models') return sendModels(session, response);
  const api = APIS.get(call);
  if (api === undefined) return rejectRequest(session, response, 404, [`${call}: unknown URL`]);
  const parsed = api.parse(jsonOrUndefined(body), headers, session);
  if (!parsed.ok) return rejectRequest(session, response, 400, parsed.problems);
  const exchange = { session, api, request: parsed.request, response };
  if (isCheck(parsed.request)) {
    session.checks.push(parsed.request);
    return respond(exchange, session.checkAnswer);
  }
  session.requests.push(parsed.request);
  const refused = session.rules.refusedParameters?.find((name) => parsed.request.body[name] !== undefined);
  if (refused !== undefined) return refuseParameter(response, refused);
  if (session.rules.alternatingRoles === true && !alternates(parsed.request)) return refuseRoles(response);
  if (session.rules.noToolsBesideReasoning === true && isToolsBesideReasoning(parsed.request))
    return refuseToolsBesideReasoning(response, parsed.request);
  const unsigned = session.rules.signatures === true ? api.findUnsigned(parsed.request.body) : [];
  if (unsigned.length > 0) return rejectRequest(session, response, 400, unsigned);
  const entry = session.queue.shift() ?? session.fallback;
  if (entry === undefined) return rejectRequest(session, response, 400, ['the script has no answer left']);
  return respond(exchange, entry);
}

/** The App asks a model now and then whether it is there. */
function isCheck({ messages }: ChatRequest): boolean {
  return messages.length === 1 && messages[0]?.content?.startsWith('Countersign check') === true;
}

function respond(exchange: Exchange, entry: ScriptEntry): Promise<void> {
  const answer = typeof entry === 'function' ? entry(exchange.request) : entry;
  return 'fault' in answer ? sendFault(exchange, answer) : sendTurn(exchange, answer);
}

/** A valid request, and where its answer goes. */
type Exchange = {
  readonly session: ModelSession;
  readonly api: FakeApi;
  readonly request: ChatRequest;
  readonly response: ServerResponse;
};

function jsonOrUndefined(body: Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

async function sendTurn({ session, api, request, response }: Exchange, scripted: ScriptedTurn): Promise<void> {
  const turn = session.rules.signatures === true ? signTurn(scripted) : scripted;
  for (const members of [turn.members, ...(turn.calls ?? []).map((call) => call.members)]) {
    for (const name of Object.keys(members ?? {})) session.members.add(name);
  }
  await turn.sendAfter;
  const [serial, now] = [nextSerial(session), currentTime(session)];
  if (request.body['stream'] !== true || turn.delivery?.plain === true)
    return sendJson(response, 200, api.createAnswer(turn, request, serial, now));
  const delivery = api.sendsDone ? turn.delivery : { ...turn.delivery, omitDone: true };
  return sendStream(response, api.createEvents(turn, request, serial, now), delivery);
}

function alternates({ messages }: ChatRequest): boolean {
  return messages.every(({ role }, at) => role !== 'user' || !['user', 'tool'].includes(messages[at - 1]?.role ?? ''));
}

function refuseRoles(response: ServerResponse): void {
  const message =
    '\n------------\nWhile executing CallExpression at line 46, column 32 in source:\n...\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.';
  sendJson(response, 500, { error: { code: 500, message, type: 'server_error' } });
}

function refuseParameter(response: ServerResponse, name: string): void {
  const message = `Unsupported parameter: '${name}' is not supported with this model.`;
  const error = { message, type: 'invalid_request_error', param: name, code: 'unsupported_parameter' };
  sendJson(response, 400, { error });
}

/** Its default effort counts as reasoning too. The words are OpenAI's. */
function isToolsBesideReasoning({ tools, body }: ChatRequest): boolean {
  return tools.length > 0 && body['messages'] !== undefined && body['reasoning_effort'] !== 'none';
}

function refuseToolsBesideReasoning(response: ServerResponse, { model }: ChatRequest): void {
  const message = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
  const error = { message, type: 'invalid_request_error', param: 'reasoning_effort', code: null };
  sendJson(response, 400, { error });
}

async function sendFault({ session, api, request, response }: Exchange, fault: ScriptedFault): Promise<void> {
  switch (fault.fault) {
    case 'status':
      sendJson(response, fault.status, fault.body ?? errorBody('Scripted failure.', 'scripted'), fault.headers);
      break;
    case 'invalid-body':
      response.writeHead(200, { 'content-type': 'application/json' }).end(fault.body);
      break;
    case 'empty-choices':
      sendJson(response, 200, api.createEmpty(request, nextSerial(session), currentTime(session)));
      break;
    case 'web-page':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html><h1>Sign in</h1>');
      break;
    case 'stream-error':
      await sendStream(response, api.createErrorEvents(fault.error), { omitDone: true });
      break;
    case 'reset':
      response.destroy();
      break;
    case 'hang':
      break;
  }
}

function nextSerial(session: ModelSession): number {
  session.served += 1;
  return session.served;
}

function currentTime(session: ModelSession): number {
  return (session.options.now ?? Date.now)();
}

function sendModels(session: ModelSession, response: ServerResponse): void {
  const names = session.options.models ?? ['scripted'];
  const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'countersign-fakes' }));
  sendJson(response, 200, { object: 'list', data });
}

function rejectRequest(
  session: ModelSession,
  response: ServerResponse,
  status: number,
  problems: readonly string[],
): void {
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
