import type { PullRequestRef } from '../../core/state/intent.ts';
import type { AppSetup } from '../../core/step/app-rights.ts';
import type { DeliveryLog, GitHub, GitHubApp } from '../../core/step/ports.ts';
import type { Logger } from '../telemetry/log.ts';
import { createDeliveryLog, createIdentityLookup, createSetupReader } from './app-requests.ts';
import { fetchCodeOwnersFile, fetchTeamMembership } from './code-owners.ts';
import { createCommit } from './commit.ts';
import { fetchSettingsFile } from './default-branch-file.ts';
import { fetchDiscussion } from './discussion.ts';
import {
  comparePush,
  countApprovals,
  fetchPermission,
  fetchPull,
  listBranchRules,
  listOtherPullsOnBranch,
  listPullFiles,
} from './pull-request.ts';
import { fetchCommentTexts, findCommentsByMarker, hasPosted } from './read-comments.ts';
import { fetchArchive, fetchBlob, fetchBranchTree, fetchMergeBase, fetchTree, listCommits } from './repository.ts';
import {
  CountersignOctokit,
  createObserver,
  type GitHubClient,
  isGitHubCloud,
  type StartTimer,
} from './requests/client.ts';
import { type CallLimit, createApiCall, createCaches, type PullConnection } from './requests/connection.ts';
import { createTokenRefusals, fetchMissingPermissions } from './requests/tokens.ts';
import { createWriteLimits, withWriteLimits } from './requests/write-limits.ts';
import { createReview, dismissReview, findReviews, listReviewComments } from './reviews.ts';
import { resolveThread } from './threads.ts';
import { fetchVoteSources } from './vote-sources.ts';
import { createComment, createFileComment, createReply, react, updateComment } from './write-comments.ts';

export type GitHubOptions = {
  readonly appId: number;
  /** PEM of the App's private key. */
  readonly privateKey: string;
  /** REST base address; see `apiBaseUrl`. */
  readonly baseUrl: string;
  /** Address of GitHub's pages; default `https://github.com`. */
  readonly site?: string;
  /** Our version, for the user agent. */
  readonly version: string;
  /** Timeout of each request; default 15 s. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: (address: string, options: RequestInit) => Promise<Response>;
  /** Whether GitHub limits writes; by default if this is github.com or ghe.com. */
  readonly countsWrites?: boolean;
  /** Counts waits for our count of GitHub's limits, and for GitHub. */
  readonly onWait?: (source: 'own' | 'github') => void;
  /** Gets a line for each request at the level `debug`, and lines about GitHub's outages. */
  readonly log?: Logger;
  /** Measures each request. */
  readonly startTimer?: StartTimer;
  /** Our clock, in ms since the epoch. */
  readonly now?: () => number;
};

/** GitHub for pull requests, and for the recovery of lost webhooks. */
export type GitHubAppClient = GitHubApp & {
  readonly deliveries: DeliveryLog;
  /** Asks GitHub again for tokens of this installation, because a webhook says that it has changed. */
  forgetRefusals(installationId: number): void;
  /** The App as it is registered, and its installations. */
  fetchSetup(): Promise<AppSetup>;
};

/** Creates the GitHub adapter without sending a request. All pull requests share its caches. */
export function createGitHub(options: GitHubOptions): GitHubAppClient {
  const now = options.now ?? Date.now;
  const observer = createObserver({ log: options.log ?? null, startTimer: options.startTimer ?? UNTIMED });
  const connect = (auth: ClientCredentials, ref: PullRequestRef | null = null): GitHubClient =>
    observer.attach(createOctokit(options, auth), ref);
  const app = connect({ appId: options.appId, privateKey: options.privateKey });
  const createClient = (token: string | null, ref?: PullRequestRef): GitHubClient =>
    connect(token === null ? {} : { token }, ref);
  const clientFor = (ref: PullRequestRef) => (token: string) => createClient(token, ref);
  const identity = createIdentityLookup(app, createClient, now);
  const caches = createCaches(now);
  const refusals = createTokenRefusals(now);
  const { countsWrites = isGitHubCloud(options.baseUrl) } = options;
  const limits = createWriteLimits(now, countsWrites, options.onWait ?? (() => {}));
  const limitFor = ({ installationId }: PullRequestRef, canWrite = alwaysTrue): CallLimit => ({
    limit: (client) => withWriteLimits(client, { limits, installationId, canWrite }),
    pauseUntil: (until) => limits.pause(installationId, until),
  });
  const botId = async (): Promise<number> => (await identity()).botId;
  return {
    identity,
    deliveries: createDeliveryLog(app, now),
    forgetRefusals: refusals.forget,
    fetchSetup: createSetupReader(app, options.site ?? 'https://github.com', now),
    forPull(ref: PullRequestRef, canWrite?: () => boolean) {
      const limit = limitFor(ref, canWrite);
      const callOptions = { app, refusals, createClient: clientFor(ref), ref, now, limit };
      const apiCalls = {
        read: createApiCall(callOptions, 'read-only'),
        write: createApiCall(callOptions, 'read-write'),
        readMembers: createApiCall(callOptions, 'members'),
      };
      const missingPermissions = () => fetchMissingPermissions({ app, refusals, ref, now });
      return createPullPort({ ref, ...apiCalls, caches, botId, missingPermissions, now });
    },
  };
}

const alwaysTrue = (): boolean => true;

const UNTIMED: StartTimer = () => () => {};

type ClientCredentials = { readonly appId?: number; readonly privateKey?: string; readonly token?: string };

function createOctokit({ baseUrl, version, timeoutMs, fetch }: GitHubOptions, auth: ClientCredentials): GitHubClient {
  return new CountersignOctokit({
    auth,
    baseUrl,
    userAgent: `countersign/${version}`,
    request: { ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }), ...(fetch === undefined ? {} : { fetch }) },
  });
}

function createPullPort(connection: PullConnection): GitHub {
  return {
    missingPermissions: connection.missingPermissions,
    fetchPull: () => fetchPull(connection),
    fetchPermission: (login) => fetchPermission(connection, login),
    fetchSettingsFile: () => fetchSettingsFile(connection),
    fetchCodeOwnersFile: () => fetchCodeOwnersFile(connection),
    fetchTeamMembership: (team, login) => fetchTeamMembership(connection, team, login),
    fetchTree: (commit) => fetchTree(connection, commit),
    fetchDiscussion: () => fetchDiscussion(connection),
    fetchMergeBase: (base, head) => fetchMergeBase(connection, base, head),
    fetchBlob: (sha) => fetchBlob(connection, sha),
    fetchArchive: (commit) => fetchArchive(connection, commit),
    fetchBranchTree: (branch) => fetchBranchTree(connection, branch),
    comparePush: (before, after) => comparePush(connection, before, after),
    listFiles: (head) => listPullFiles(connection, head),
    fetchRules: (branch) => listBranchRules(connection, branch),
    otherPullsOnBranch: (branch) => listOtherPullsOnBranch(connection, branch),
    countApprovals: () => countApprovals(connection),
    listCommits: (base, head) => listCommits(connection, base, head),
    createReview: (head, review) => createReview(connection, head, review),
    listReviewComments: (reviewId) => listReviewComments(connection, reviewId),
    findReviews: (marker) => findReviews(connection, marker),
    dismissReview: (reviewId, message) => dismissReview(connection, reviewId, message),
    createFileComment: (head, path, body) => createFileComment(connection, head, path, body),
    createComment: (body) => createComment(connection, body),
    createReply: (rootId, body) => createReply(connection, rootId, body),
    updateComment: (comment, body) => updateComment(connection, comment, body),
    resolveThread: (comment) => resolveThread(connection, comment),
    react: (location, content) => react(connection, location, content),
    findCommentsByMarker: (markers, since) => findCommentsByMarker(connection, markers, since),
    fetchCommentTexts: (comments) => fetchCommentTexts(connection, comments),
    fetchVoteSources: (locations) => fetchVoteSources(connection, locations),
    hasPosted: (body, since) => hasPosted(connection, body, since),
    commit: (plan) => createCommit(connection, plan),
  };
}
