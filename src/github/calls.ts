import { z } from 'zod';
import type { PullRef } from '../command/intent.ts';
import { RequestFault, toFault } from './faults.ts';
import type { GitHubClient } from './octokit.ts';

/** What a token may do. Reading and writing never share one: nothing that serves the model can change anything. */
export type Purpose = 'read' | 'write';

const PERMISSIONS = {
  read: { contents: 'read', pull_requests: 'read', issues: 'read', metadata: 'read' },
  write: { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' },
} as const satisfies Record<Purpose, Readonly<Record<string, string>>>;

const InstallationToken = z.object({ token: z.string() });

/** Sends what the given function asks of GitHub, with a token for one repository; failures are `GitHubFault`s. */
export type Call = <Answer>(ask: (client: GitHubClient) => Promise<Answer>) => Promise<Answer>;

/** The installation's share of GitHub's limits, for one rank of work. */
export type CallBudget = {
  /** Counts each request of this client, or stops it with `BudgetSpent`. */
  meter(client: GitHubClient): GitHubClient;
  /** GitHub told the installation to wait until then (ms). */
  rest(until: number): Promise<void>;
};

export type CallOptions = {
  /** Authenticates as the App itself; mints and keeps tokens (59 of their 60 minutes). */
  readonly app: GitHubClient;
  readonly open: (token: string) => GitHubClient;
  readonly budget: CallBudget;
  readonly ref: Pick<PullRef, 'installationId' | 'repositoryId'>;
  readonly now: () => number;
};

/**
 * Calls with a token of this purpose, minted at the first of them. A 401 means that the token died early:
 * nothing was applied, so one fresh token is tried, and then it is a fault.
 */
export function openCall(options: CallOptions, purpose: Purpose): Call {
  const open = async (refresh: boolean): Promise<GitHubClient> =>
    options.budget.meter(options.open(await mintToken(options, purpose, refresh)));
  return async (ask) => {
    try {
      return await ask(await open(false)).catch(async (error: unknown) => {
        if (!isUnauthorized(error)) throw error;
        return ask(await open(true));
      });
    } catch (error) {
      const fault = toFault(error, options.now());
      // Stored before anybody hears of the fault, so that nobody asks on behalf of this installation meanwhile.
      if (fault instanceof RequestFault && fault.limited && fault.retryAt !== null)
        await options.budget.rest(fault.retryAt);
      throw fault;
    }
  };
}

async function mintToken(options: CallOptions, purpose: Purpose, refresh: boolean): Promise<string> {
  const minted = await options.app.auth({
    type: 'installation',
    installationId: options.ref.installationId,
    repositoryIds: [options.ref.repositoryId],
    permissions: PERMISSIONS[purpose],
    refresh,
  });
  return InstallationToken.parse(minted).token;
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 401;
}
