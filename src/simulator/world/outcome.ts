import type { World } from './state.ts';

/** One entry of the `errors` list in a 422 answer of the REST API. */
export type FieldError = {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
};

/** The types GitHub's GraphQL API names in `errors[].type`. */
export type GraphqlErrorType = 'STALE_DATA' | 'FORBIDDEN' | 'NOT_FOUND' | 'UNPROCESSABLE';

/**
 * A refusal as GitHub words it. REST answers use `status`, `message` and `errors`; GraphQL answers `type` and
 * `message`.
 */
export type ApiError = {
  readonly status: number;
  readonly type: GraphqlErrorType;
  readonly message: string;
  readonly errors?: readonly (string | FieldError)[];
};

/**
 * A webhook to deliver to every App that subscribes to `name` and is installed on the repository.
 * `payload` is complete but for `installation`, which differs per receiving App.
 */
export type WebhookEvent = {
  readonly name: string;
  readonly action: string | null;
  readonly repositoryId: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** What an operation gives back. A refusal leaves the state as it was and causes no event. */
export type Outcome<Value> =
  | { readonly ok: true; readonly state: World; readonly value: Value; readonly events: readonly WebhookEvent[] }
  | { readonly ok: false; readonly state: World; readonly error: ApiError; readonly events: readonly [] };

/** Every write on the world has this shape; `now` is in milliseconds since the epoch. */
export type Operation<Input, Value> = (world: World, input: Input, now: number) => Outcome<Value>;
