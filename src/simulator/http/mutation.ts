import type { Actor } from '../world/access.ts';
import type { Operations } from '../world/operations.ts';
import type { Outcome, WebhookEvent } from '../world/outcome.ts';
import type { GitHubState } from './github-state.ts';
import type { Values } from './graphql-check.ts';
import type { GraphView } from './graphql-graph.ts';
import { type GraphObject, GraphRefusal } from './graphql-select.ts';

/** A mutation that was done. */
export type Mutated = {
  readonly payload: GraphObject;
  readonly state: GitHubState;
  readonly events: readonly WebhookEvent[];
};
export type Mutating = GraphView & { readonly actor: Actor; readonly now: number; readonly operations: Operations };
export type Mutation = (context: Mutating, input: Values) => Mutated;

/** The state and value after an operation. Throws its refusal in the graph's words. */
export function settled<Value>(
  { state }: Mutating,
  outcome: Outcome<Value>,
): { readonly state: GitHubState; readonly value: Value } {
  if (!outcome.ok) throw new GraphRefusal(outcome.error.type, outcome.error.message);
  return { state: { ...state, world: outcome.state }, value: outcome.value };
}

/** What the client called its mutation; every payload repeats it. */
export function clientMutationId(input: Values): string | null {
  const id = input['clientMutationId'];
  return typeof id === 'string' ? id : null;
}
