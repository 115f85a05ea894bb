import { parseJson } from '../../trust.ts';
import type { Referee } from '../referee/referee.ts';
import type { Operations } from '../world/operations.ts';
import type { Operation, Outcome, WebhookEvent } from '../world/outcome.ts';
import type { World } from '../world/state.ts';
import { createFaultTable, type FaultEffect, type FaultTable } from './fault-table.ts';
import type { GitHubState } from './github-state.ts';
import { type Caller, callName, type Handled, handle } from './handle.ts';
import { jsonResponse, type WireRequest, type WireResponse } from './wire.ts';

/** What the transport has to do with a request: answer it (late, perhaps cut short), cut the line, or say nothing. */
export type Exchange =
  | {
      readonly kind: 'answer';
      readonly response: WireResponse;
      readonly until: Promise<unknown> | null;
      readonly truncated: boolean;
    }
  | { readonly kind: 'cut' }
  | { readonly kind: 'silence' };

/** One line of the request log. `status` is what the client saw; null when it saw nothing. */
export type CallRecord = {
  readonly at: number;
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly caller: Caller;
  readonly sent: unknown;
  readonly status: number | null;
  /** Whether GitHub did what was asked, whatever the client saw; null when it never looked at it. */
  readonly appliedStatus: number | null;
};

export type GatewayOptions = {
  readonly state: GitHubState;
  readonly operations: Operations;
  readonly now: () => number;
  readonly referee?: Referee;
  /** Where breaches of the rules are collected. */
  readonly violations: string[];
  readonly onWebhooks: (events: readonly WebhookEvent[], world: World) => void;
};

/** The simulated GitHub in one process without sockets: holds the state, plays faults, keeps the log. */
export type Gateway = {
  readonly exchange: (request: WireRequest) => Exchange;
  /** Performs a write that comes from no client (a person in the browser). */
  readonly apply: <Input, Value>(operation: Operation<Input, Value>, input: Input) => Outcome<Value>;
  readonly state: () => GitHubState;
  readonly replaceState: (state: GitHubState) => void;
  readonly faults: FaultTable;
  readonly requests: readonly CallRecord[];
};

type Held = {
  readonly options: GatewayOptions;
  readonly requests: CallRecord[];
  state: GitHubState;
};

/** A gateway over a state. */
export function createGateway(options: GatewayOptions): Gateway {
  const held: Held = { options, requests: [], state: options.state };
  const faults = createFaultTable();
  return {
    exchange: (request) => exchange(held, faults, request),
    apply: (operation, input) => {
      const outcome = operation(held.state.world, input, options.now());
      held.state = { ...held.state, world: outcome.state };
      options.onWebhooks(outcome.events, outcome.state);
      return outcome;
    },
    state: () => held.state,
    replaceState: (state) => {
      held.state = state;
    },
    faults,
    requests: held.requests,
  };
}

function exchange(held: Held, faults: FaultTable, request: WireRequest): Exchange {
  const name = callName(request);
  const fault = faults.take(name);
  const handled = fault !== undefined && !isApplied(fault) ? undefined : perform(held, name, asRead(request, fault));
  const result = outcomeOf(fault, handled?.response);
  held.requests.push({
    at: held.options.now(),
    name,
    method: request.method,
    target: request.target,
    caller: handled?.caller ?? { kind: 'nobody' },
    sent: handled?.sent,
    status: result.kind === 'answer' ? result.response.status : null,
    appliedStatus: handled?.response.status ?? null,
  });
  return result;
}

/** What GitHub takes the request for. */
function asRead(request: WireRequest, fault: FaultEffect | undefined): WireRequest {
  if (fault?.kind !== 'misread') return request;
  return { ...request, body: Buffer.from(fault.as(Buffer.from(request.body).toString('utf8'))) };
}

function isApplied(fault: FaultEffect): boolean {
  switch (fault.kind) {
    case 'before':
      return false;
    case 'reset':
    case 'hang':
      return fault.applied;
    case 'after':
    case 'delay':
    case 'truncate':
    case 'misread':
      return true;
  }
}

function perform(held: Held, name: string, request: WireRequest): Handled {
  const handled = handle(request, held.state, held.options.now(), held.options.operations);
  held.state = handled.state;
  if (handled.violation !== undefined) held.options.violations.push(handled.violation);
  held.options.violations.push(...refereed(held.options.referee, name, handled));
  held.options.onWebhooks(handled.webhooks, handled.state.world);
  return handled;
}

/** The description covers REST only; the graph has a schema of its own. */
function refereed(referee: Referee | undefined, name: string, handled: Handled): readonly string[] {
  const { params, query, sent, response, json } = handled;
  const isRoute = / \/(?!codeload)/.test(name) && (json !== undefined || response.status === 204);
  if (referee === undefined || !isRoute || handled.violation !== undefined) return [];
  // Through text and back: what the client reads is what counts.
  const body = json === undefined ? undefined : parseJson(JSON.stringify(json));
  return [
    ...referee.request({ route: name, params, query, body: sent }),
    ...referee.response(name, response.status, body),
  ];
}

function outcomeOf(fault: FaultEffect | undefined, response: WireResponse | undefined): Exchange {
  const answered = (given: WireResponse, until: Promise<unknown> | null = null, truncated = false): Exchange => ({
    kind: 'answer',
    response: given,
    until,
    truncated,
  });
  const unavailable = jsonResponse(502, { message: 'Server Error' });
  if (fault === undefined) return answered(response ?? unavailable);
  switch (fault.kind) {
    case 'before':
    case 'after':
      return answered(jsonResponse(fault.status, fault.body ?? { message: 'Server Error' }, fault.headers));
    case 'reset':
      return { kind: 'cut' };
    case 'hang':
      return { kind: 'silence' };
    case 'delay':
      return answered(response ?? unavailable, fault.until);
    case 'truncate':
      return answered(response ?? unavailable, null, true);
    case 'misread':
      return answered(response ?? unavailable);
  }
}
