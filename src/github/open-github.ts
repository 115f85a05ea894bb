import type { Rank } from '../budget/limits.ts';
import type { Place, PullRef } from '../command/intent.ts';
import type { DeliveryLog } from '../sweep/delivery-log.ts';
import type { GitHub, GitHubs } from '../worker/ports.ts';
import { openIdentity } from './app-identity.ts';
import { fetchArchive } from './archive.ts';
import { fetchBlob } from './blobs.ts';
import { type CallBudget, openCall } from './calls.ts';
import { createComment, createFileComment, createReply, updateComment } from './comments.ts';
import { fetchCommits } from './commits.ts';
import { type Connection, openCaches } from './connection.ts';
import { openDeliveryLog } from './delivery-log.ts';
import { fetchFiles } from './files.ts';
import { listening, openGitHubClock } from './github-clock.ts';
import { type BudgetKeeper, metered, openQuotas } from './meter.ts';
import { CountersignOctokit, type GitHubClient } from './octokit.ts';
import { fetchBodyHashes, findByMarker, wroteSince } from './own-comments.ts';
import { dismissReview, findReviews, updateReview } from './own-reviews.ts';
import { fetchOthersOn, fetchPermission, fetchPull } from './pull.ts';
import { react } from './reactions.ts';
import { createReview, fetchReviewComments } from './reviews.ts';
import { countApprovals, fetchRules } from './rules.ts';
import { saidSince } from './said-since.ts';
import { fetchSettingsFile } from './settings-file.ts';
import { isResolved, outdatedThreads, resolveThread } from './threads.ts';
import { fetchTree } from './tree.ts';
import { wordsAt } from './words-at.ts';
import { writeCommit } from './write-commit.ts';

export type GitHubOptions = {
  readonly appId: number;
  /** PEM of the App's private key. */
  readonly privateKey: string;
  /** REST base; see `apiUrl`. */
  readonly baseUrl: string;
  /** The product's version, for the user agent. */
  readonly version: string;
  /** Bound of each request; 15 s unless told. */
  readonly timeoutMs?: number;
  /** What requests go through instead of the network's own `fetch`. */
  readonly fetch?: (address: string, options: RequestInit) => Promise<Response>;
  /** What counts requests against GitHub's limits; without it they are not counted. */
  readonly budget?: BudgetKeeper;
  /** Milliseconds since the epoch, to turn GitHub's waits into times. */
  readonly now?: () => number;
};

/** GitHub for pull requests, and what it tells of its deliveries to this App and of what was said in them. */
export type AppGitHub = GitHubs & {
  readonly deliveries: DeliveryLog;
  /** The words that stand at a place now; null where they are gone. */
  wordsAt(pull: PullRef, place: Place): Promise<string | null>;
};

/** GitHub as this App sees it. Nothing is sent before the first call; caches are shared by all pull requests. */
export function openGitHubs(options: GitHubOptions): AppGitHub {
  const now = options.now ?? Date.now;
  const clock = openGitHubClock();
  const connect = (auth: Credentials): GitHubClient => listening(openClient(options, auth), clock, now);
  const app = connect({ appId: options.appId, privateKey: options.privateKey });
  const open = (token: string | null): GitHubClient => connect(token === null ? {} : { token });
  const self = openIdentity(app, open, now);
  const caches = openCaches();
  const quotas = openQuotas();
  const { budget: keeper = UNCOUNTED } = options;
  const budgetOf = ({ installationId }: PullRef, rank: Rank, mayWrite = ALWAYS): CallBudget => ({
    meter: (client) => metered(client, { keeper, quotas, installationId, rank, now, mayWrite }),
    rest: (until) => keeper.rest(installationId, until),
  });
  const botId = async (): Promise<number> => (await self()).botId;
  return {
    self,
    ahead: () => clock.ahead().most,
    deliveries: openDeliveryLog(app, now),
    wordsAt: (ref, place) =>
      wordsAt({ ref, read: openCall({ app, open, ref, now, budget: budgetOf(ref, 'hear') }, 'read') }, place),
    for(ref: PullRef, rank: Rank = 'hear', mayWrite?: () => boolean) {
      const calls = { app, open, ref, now, budget: budgetOf(ref, rank, mayWrite) };
      const both = { read: openCall(calls, 'read'), write: openCall(calls, 'write') };
      return portOf({ ref, ...both, caches, botId, now, ahead: () => clock.ahead().least });
    },
  };
}

const ALWAYS = (): boolean => true;
const UNCOUNTED: BudgetKeeper = { spend: async () => null, rest: async () => {} };

type Credentials = { readonly appId?: number; readonly privateKey?: string; readonly token?: string };

function openClient({ baseUrl, version, timeoutMs, fetch }: GitHubOptions, auth: Credentials): GitHubClient {
  return new CountersignOctokit({
    auth,
    baseUrl,
    userAgent: `countersign/${version}`,
    request: { ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }), ...(fetch === undefined ? {} : { fetch }) },
  });
}

function portOf(connection: Connection): GitHub {
  return {
    pull: () => fetchPull(connection),
    permission: (login) => fetchPermission(connection, login),
    settingsFile: () => fetchSettingsFile(connection),
    tree: (commit) => fetchTree(connection, commit),
    blob: (sha) => fetchBlob(connection, sha),
    archive: (commit) => fetchArchive(connection, commit),
    files: (head) => fetchFiles(connection, head),
    rules: (branch) => fetchRules(connection, branch),
    othersOn: (branch) => fetchOthersOn(connection, branch),
    approvals: () => countApprovals(connection),
    commits: (base, head) => fetchCommits(connection, base, head),
    createReview: (head, review) => createReview(connection, head, review),
    reviewComments: (reviewId) => fetchReviewComments(connection, reviewId),
    findReviews: (marker) => findReviews(connection, marker),
    updateReview: (reviewId, body) => updateReview(connection, reviewId, body),
    dismissReview: (reviewId, message) => dismissReview(connection, reviewId, message),
    createFileComment: (head, path, body) => createFileComment(connection, head, path, body),
    createComment: (body) => createComment(connection, body),
    reply: (rootId, body) => createReply(connection, rootId, body),
    updateComment: (comment, body) => updateComment(connection, comment, body),
    resolveThread: (comment) => resolveThread(connection, comment),
    isResolved: (comment) => isResolved(connection, comment),
    outdatedThreads: () => outdatedThreads(connection),
    react: (place, content) => react(connection, place, content),
    findByMarker: (markers, since) => findByMarker(connection, markers, since),
    bodyHashes: (comments) => fetchBodyHashes(connection, comments),
    saidSince: (since) => saidSince(connection, since),
    wrote: (body, since) => wroteSince(connection, body, since),
    commit: (plan) => writeCommit(connection, plan),
  };
}
