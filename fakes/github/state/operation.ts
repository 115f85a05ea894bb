import type { GitHubState } from './github-state.ts';

/** An entry of `errors` in a 422 response of the REST API. */
export type ApiFieldError = {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
};

/** Values of `errors[].type` in GitHub’s GraphQL API. */
type GraphqlErrorType = 'STALE_DATA' | 'FORBIDDEN' | 'NOT_FOUND' | 'UNPROCESSABLE';

/** An error with GitHub’s message. REST uses `status`, `message` and `errors`; GraphQL uses `type` and `message`. */
export type ApiError = {
  readonly status: number;
  readonly type: GraphqlErrorType;
  readonly message: string;
  readonly errors?: readonly (string | ApiFieldError)[];
};

/**
 * A webhook, sent to each App that subscribes to `name` and is installed on the repository. Each delivery adds the
 * `installation` of its App to `payload`.
 */
export type WebhookEvent = {
  readonly name: string;
  readonly action: string | null;
  readonly repositoryId: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Only this App gets it. */
  readonly onlyAppId?: number;
};

/** The result of an operation. An operation with an error changes nothing and causes no event. */
export type OperationResult<Value> =
  | { readonly ok: true; readonly state: GitHubState; readonly value: Value; readonly events: readonly WebhookEvent[] }
  | { readonly ok: false; readonly state: GitHubState; readonly error: ApiError; readonly events: readonly [] };

/** A write on the fake GitHub; `now` is in ms since the epoch. */
export type Operation<Input, Value> = (github: GitHubState, input: Input, now: number) => OperationResult<Value>;

export const NOT_FOUND_ERROR: ApiError = { status: 404, type: 'NOT_FOUND', message: 'Not Found' };

export const ADMIN_RIGHTS_ERROR: ApiError = {
  status: 403,
  type: 'FORBIDDEN',
  message: 'Must have admin rights to Repository.',
};

export const LOCKED_ERROR: ApiError = {
  status: 403,
  type: 'FORBIDDEN',
  message: 'Unable to create comment because issue is locked.',
};

/** The message for reviews and review comments in a locked conversation (marcusquinn/aidevops#30280). */
export const LOCK_PREVENTS_REVIEW_MESSAGE = 'lock prevents review';

export const MAX_BODY_CHARACTERS = 65_536;

export function unprocessableError(message: string, errors?: readonly (string | ApiFieldError)[]): ApiError {
  return { status: 422, type: 'UNPROCESSABLE', message, ...(errors === undefined ? {} : { errors }) };
}

/** A 422 of the reviews endpoint, whose `errors` are sentences. */
export function unprocessableEntityError(...sentences: readonly string[]): ApiError {
  return unprocessableError('Unprocessable Entity', sentences);
}

/** A 422 of most endpoints, whose `errors` name fields and codes. */
export function validationError(...errors: readonly ApiFieldError[]): ApiError {
  return unprocessableError('Validation Failed', errors);
}

export function checkBody(resource: string, body: string): ApiError | undefined {
  if (body.trim() === '') {
    return validationError({ resource, code: 'unprocessable', field: 'data', message: 'Body cannot be blank' });
  }
  if (body.length <= MAX_BODY_CHARACTERS) return undefined;
  const message = `body is too long (maximum is ${MAX_BODY_CHARACTERS} characters)`;
  return validationError({ resource, code: 'custom', field: 'body', message });
}

/** GraphQL’s error for an unknown node id. */
export function unresolvedNodeError(id: string): ApiError {
  return { ...NOT_FOUND_ERROR, message: `Could not resolve to a node with the global id of '${id}'` };
}
