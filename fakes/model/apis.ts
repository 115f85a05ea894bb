import type { JsonObject } from '../lib/json.ts';
import { parseChatRequest } from './chat-request.ts';
import { createEmptyResponse, createErrorEvents, createResponse, createResponseEvents } from './responses-answer.ts';
import { findThoughtlessCalls, parseResponsesRequest } from './responses-request.ts';
import {
  type ChatRequest,
  type ChatRequestResult,
  createCompletion,
  createCompletionChunks,
  createEmptyCompletion,
  type ScriptedTurn,
} from './script.ts';
import { findUnsignedCalls } from './signatures.ts';

/** How one of the two APIs reads requests and writes answers. `serial` makes ids unique; `now` is in ms. */
export type FakeApi = {
  readonly parse: (
    body: unknown,
    headers: Readonly<Record<string, string>>,
    rules: { readonly members: ReadonlySet<string> },
  ) => ChatRequestResult;
  /** The calls in a request's history that lack what their model put beside them. */
  readonly findUnsigned: (body: JsonObject) => readonly string[];
  readonly createAnswer: (turn: ScriptedTurn, request: ChatRequest, serial: number, now: number) => JsonObject;
  readonly createEvents: typeof createCompletionChunks;
  readonly createEmpty: (request: ChatRequest, serial: number, now: number) => unknown;
  readonly createErrorEvents: (error: JsonObject) => readonly JsonObject[];
  /** Whether a whole stream ends with `[DONE]`. */
  readonly sendsDone: boolean;
};

/** By method and path. */
export const APIS: ReadonlyMap<string, FakeApi> = new Map([
  [
    'POST /chat/completions',
    {
      parse: parseChatRequest,
      findUnsigned: findUnsignedCalls,
      createAnswer: createCompletion,
      createEvents: createCompletionChunks,
      createEmpty: createEmptyCompletion,
      createErrorEvents: (error) => [{ error }],
      sendsDone: true,
    },
  ],
  [
    'POST /responses',
    {
      parse: parseResponsesRequest,
      findUnsigned: findThoughtlessCalls,
      createAnswer: createResponse,
      createEvents: (...scripted) => createResponseEvents(createResponse(...scripted)),
      createEmpty: createEmptyResponse,
      createErrorEvents,
      sendsDone: false,
    },
  ],
]);
