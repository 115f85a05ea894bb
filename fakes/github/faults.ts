/**
 * A fault of one request. `applied`: the request is handled before the `reset` or `hang`. `truncate` sends half of the
 * response body. `alter-request` changes the request body before it is handled.
 */
export type InjectedFault =
  | {
      readonly kind: 'fail-before-apply' | 'fail-after-apply';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: FaultHeaders;
    }
  | { readonly kind: 'reset' | 'hang'; readonly applied: boolean }
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'alter-request'; readonly alter: (sent: string) => string };

type FaultHeaders = Readonly<Record<string, string>>;

/**
 * A fault and the requests that get it. `route` is a route (`GET /repos/{owner}/{repo}`), a GraphQL field (`graphql
 * createCommitOnBranch`) or `*`. The first `skip` matches succeed, the next `times` (default 1) fail.
 */
type FaultRule = InjectedFault & { readonly route: string; readonly skip?: number; readonly times?: number };

/** Injects faults. The oldest matching rule with failures left applies. */
export type FaultInjector = {
  readonly add: (rule: FaultRule) => void;
  readonly clear: () => void;
  /** Lists the rules with failures left. */
  readonly pending: () => readonly FaultRule[];
  /** Returns the fault of one request and counts it. */
  readonly take: (route: string) => InjectedFault | undefined;
};

type PendingFault = { readonly rule: FaultRule; skip: number; remaining: number };

export function createFaultInjector(): FaultInjector {
  let pending: readonly PendingFault[] = [];
  const take = (route: string): InjectedFault | undefined => {
    for (const entry of pending) {
      if (entry.remaining === 0 || (entry.rule.route !== '*' && entry.rule.route !== route)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.remaining -= 1;
      return entry.rule;
    }
    return undefined;
  };
  return {
    add: (rule) => {
      pending = [...pending, { rule, skip: rule.skip ?? 0, remaining: rule.times ?? 1 }];
    },
    clear: () => {
      pending = [];
    },
    pending: () => pending.filter((entry) => entry.remaining > 0).map((entry) => entry.rule),
    take,
  };
}
