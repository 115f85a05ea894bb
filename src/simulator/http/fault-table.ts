/**
 * What goes wrong with a call. `before` answers without doing anything, `after` does it and then
 * answers something else, `reset` cuts the connection and `hang` never answers (`applied`: after
 * doing it), `delay` answers only once something else is over, `truncate` sends half the body, `misread` does what another body asks for.
 */
export type FaultEffect =
  | { readonly kind: 'before' | 'after'; readonly status: number; readonly body?: unknown; readonly headers?: Headers }
  | { readonly kind: 'reset' | 'hang'; readonly applied: boolean }
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'misread'; readonly as: (sent: string) => string };

type Headers = Readonly<Record<string, string>>;

/**
 * Which calls it happens to: `on` is a route (`POST /repos/{owner}/{repo}/git/blobs`), a GraphQL field
 * (`graphql createCommitOnBranch`) or `*`; the first `skip` matches go through, then `times` are hit.
 */
export type FaultRule = FaultEffect & { readonly on: string; readonly skip?: number; readonly times?: number };

/** Rules in the order they were added; the first that still has hits left wins. */
export type FaultTable = {
  readonly add: (rule: FaultRule) => void;
  readonly clear: () => void;
  /** Rules that still wait for a call. */
  readonly waiting: () => readonly FaultRule[];
  /** The fault for one call, counting it. */
  readonly take: (route: string) => FaultEffect | undefined;
};

type Pending = { readonly rule: FaultRule; skip: number; left: number };

/** An empty table. */
export function createFaultTable(): FaultTable {
  let pending: readonly Pending[] = [];
  const take = (route: string): FaultEffect | undefined => {
    for (const entry of pending) {
      if (entry.left === 0 || (entry.rule.on !== '*' && entry.rule.on !== route)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.left -= 1;
      return entry.rule;
    }
    return undefined;
  };
  return {
    add: (rule) => {
      pending = [...pending, { rule, skip: rule.skip ?? 0, left: rule.times ?? 1 }];
    },
    clear: () => {
      pending = [];
    },
    waiting: () => pending.filter((entry) => entry.left > 0).map((entry) => entry.rule),
    take,
  };
}
