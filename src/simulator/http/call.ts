import type { Actor } from '../world/access.ts';
import type { Operations } from '../world/operations.ts';
import type { Repository } from '../world/state.ts';
import type { GitHubState } from './github-state.ts';
import type { Identity } from './identity.ts';
import type { WireRequest } from './wire.ts';

/** Everything a handler may look at. `body` is `{}` when none was sent; `now` is in milliseconds. */
export type Call = {
  readonly request: WireRequest;
  readonly state: GitHubState;
  readonly operations: Operations;
  readonly now: number;
  readonly identity: Identity;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accept: string;
};

/** A call by an App's installation on a repository within its reach. */
export type RepositoryCall = Call & { readonly repository: Repository; readonly actor: Actor };

/** A value of the path as a number; NaN finds nothing. */
export function numberParam(call: Call, name: string): number {
  return Number(call.params[name]);
}

/** A text of the path; empty finds nothing. */
export function textParam(call: Call, name: string): string {
  return call.params[name] ?? '';
}

/** A text field of the body, or undefined. */
export function textField(call: Call, name: string): string | undefined {
  const value = call.body[name];
  return typeof value === 'string' ? value : undefined;
}

/** A number field of the body, or undefined. */
export function numberField(call: Call, name: string): number | undefined {
  const value = call.body[name];
  return typeof value === 'number' ? value : undefined;
}

/** Whether the client asks for the bytes themselves. */
export function wantsRaw(call: Call): boolean {
  return /application\/vnd\.github(\.v3)?\.raw\b/.test(call.accept);
}
