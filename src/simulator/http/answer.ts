import type { ApiError, FieldError, Outcome, WebhookEvent } from '../world/outcome.ts';
import type { GitHubState } from './github-state.ts';

/** What a handler says: the body in one of four forms, the state after it, and the webhooks it caused. */
export type Answer = {
  readonly status: number;
  readonly body: AnswerBody;
  readonly headers?: Readonly<Record<string, string>>;
  readonly state: GitHubState;
  readonly events: readonly WebhookEvent[];
  /** Set when the client broke a rule that a story must not pass over. */
  readonly violation?: string;
};

export type AnswerBody =
  | { readonly kind: 'json'; readonly value: unknown }
  /** A complete list, cut into pages on its way out. */
  | { readonly kind: 'list'; readonly items: readonly unknown[] }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array }
  | { readonly kind: 'none' };

const DOCUMENTATION = 'https://docs.github.com/rest';

/** 200 with JSON; the state stays. */
export function shown(state: GitHubState, value: unknown): Answer {
  return { status: 200, body: { kind: 'json', value }, state, events: [] };
}

/** 200 with one page of a list; the state stays. */
export function listed(state: GitHubState, items: readonly unknown[]): Answer {
  return { status: 200, body: { kind: 'list', items }, state, events: [] };
}

/** An error as the REST API writes it; the state stays. */
export function refused(
  state: GitHubState,
  status: number,
  message: string,
  errors?: readonly (string | FieldError)[],
): Answer {
  const value = {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: DOCUMENTATION,
    status: String(status),
  };
  return { status, body: { kind: 'json', value }, state, events: [] };
}

/** 404 in GitHub's words, which also hide what one may not see. */
export function notFound(state: GitHubState): Answer {
  return refused(state, 404, 'Not Found');
}

/** 422 about one field that is missing or wrong. */
export function invalidField(state: GitHubState, resource: string, field: string, code: string): Answer {
  return refused(state, 422, 'Validation Failed', [{ resource, field, code }]);
}

/** Turns an operation's outcome into an answer: its refusal, or `status` with what `show` makes of the new state. */
export function written<Value>(
  state: GitHubState,
  outcome: Outcome<Value>,
  status: number,
  show: (after: GitHubState, value: Value) => unknown,
): Answer {
  if (!outcome.ok) return refusedBy(state, outcome.error);
  const after = { ...state, world: outcome.state };
  const body: AnswerBody = status === 204 ? { kind: 'none' } : { kind: 'json', value: show(after, outcome.value) };
  return { status, body, state: after, events: outcome.events };
}

function refusedBy(state: GitHubState, error: ApiError): Answer {
  return refused(state, error.status, error.message, error.errors);
}
