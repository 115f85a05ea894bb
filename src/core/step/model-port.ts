import type { ModelResponse, TokenUsage, TranscriptMessage } from '../state/conversation.ts';
import type { ToolName } from '../state/tools.ts';

/** An endpoint of models. Both calls throw a `ModelError` whose message is safe to publish. */
export type Model = {
  /** Requests with the same `runId` share the endpoint's cache, if it has one. A `model` of null is the default one. */
  ask(
    messages: readonly TranscriptMessage[],
    signal: AbortSignal,
    runId: string,
    model: string | null,
    /** The tools that are not offered. */
    omitted?: readonly ToolName[],
  ): Promise<ModelResponse>;
  /** Like `ask`, with the tools that only read. Without `mayCall` only the text of the response counts. */
  answerQuestion(
    messages: readonly TranscriptMessage[],
    signal: AbortSignal,
    runId: string,
    mayCall: boolean,
    model: string | null,
    omitted?: readonly ToolName[],
  ): Promise<ModelResponse>;
  /**
   * The most tokens that a request can have, as the operator or the endpoint says; null if neither does. Never fails.
   */
  maxRequestTokens(signal: AbortSignal, model: string | null): Promise<number | null>;
};

/** Why a model request failed. */
export type ModelFailureKind =
  | 'key-rejected'
  | 'access-denied'
  | 'model-unknown'
  | 'not-found'
  | 'bad-request'
  /** The model, or its server, takes no tools. */
  | 'no-tools'
  /** The endpoint could not read a tool call of the model. */
  | 'broken-call'
  | 'no-quota'
  | 'rate-limit'
  /** The conversation does not fit into the model's context. */
  | 'too-long'
  | 'filtered'
  /** The answer ended in the middle. */
  | 'cut-off'
  /** The endpoint fell silent in the middle of an answer. */
  | 'stalled'
  | 'timeout'
  | 'unreachable'
  | 'redirected'
  | 'endpoint-failing'
  | 'wrong-content-type'
  | 'unreadable-answer';

/** The operator's facts about a failed model request. It holds neither the key nor the request. */
export type ModelFailure = {
  readonly failure: ModelFailureKind;
  /** Null without a response. */
  readonly status: number | null;
  /** The endpoint's own words for the kind of error; null if it gave none. */
  readonly code: string | null;
  readonly type: string | null;
  /** The endpoint's id of the request, which its support asks for. */
  readonly requestId: string | null;
  /** The endpoint's words, in one line; null if there were none. */
  readonly said: string | null;
};

/** The model request failed. A `transient` failure is worth a retry. */
export class ModelError extends Error {
  readonly kind: 'transient' | 'permanent';
  readonly retryAt: number | null;
  /** For the log; null if the request was stopped by this process. */
  readonly report: ModelFailure | null;
  /** The cost of the failed answer; null if the endpoint did not say. */
  readonly usage: TokenUsage | null;
  constructor(
    kind: 'transient' | 'permanent',
    message: string,
    retryAt: number | null,
    options: ErrorOptions & Partial<Pick<ModelError, 'report' | 'usage'>> = {},
  ) {
    super(message, options);
    this.name = 'ModelError';
    this.report = options.report ?? null;
    this.usage = options.usage ?? null;
    this.kind = kind;
    this.retryAt = retryAt;
  }
}
