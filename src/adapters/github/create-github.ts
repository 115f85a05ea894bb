import type { PullRequestRef } from '../../core/state/intent.ts';
import type { AppSetup, AppWebhook } from '../../core/step/app-rights.ts';
import type { DeliveryLog, GitHub, GitHubApp } from '../../core/step/ports.ts';
import { createDeliveryLog, createIdentityLookup, fetchSetup, fetchTime, fetchWebhook } from './app-requests.ts';
import { addLabel, createCheckRun, findCheckRuns, removeLabel, updateCheckRun } from './check-runs.ts';
import { createDownload, fetchCheckDetails, fetchChecks } from './checks.ts';
import {
  fetchCommentTexts,
  fetchVoteSources,
  findCommentsByMarker,
  hasPosted,
  listReviewComments,
} from './comments.ts';
import { createCommit } from './commit.ts';
import { fetchDiscussion } from './discussion.ts';
import {
  comparePush,
  fetchPermission,
  fetchPull,
  fetchRecentPull,
  fetchTeamMembership,
  listBranchRules,
  listOtherPullsOnBranch,
  listPullFiles,
} from './pull-request.ts';
import {
  fetchArchive,
  fetchBlob,
  fetchBranchTree,
  fetchCodeOwnersFile,
  fetchMergeBase,
  fetchSettingsFile,
  fetchTree,
  listCommits,
} from './repository.ts';
import {
  type ClientOptions,
  createClientFactory,
  type GitHubClient,
  isGitHubCloud,
  sendGlobally,
} from './requests/client.ts';
import { createCaches, createRepositoryClient, createWriteLimits, type PullConnection } from './requests/connection.ts';
import { fetchMissingPermissions, type TokenAccess } from './requests/tokens.ts';
import { createReview, dismissReview, findReviews } from './reviews.ts';
import { closeThread, resolveThread } from './threads.ts';
import { createComment, createFileComment, createReply, react, updateComment } from './write-comments.ts';

export type GitHubOptions = Omit<ClientOptions, 'now'> & {
  /** The App's number or Client ID. */
  readonly appId: number | string;
  /** PEM of the App's private key. */
  readonly privateKey: string;
  /** Address of GitHub's pages; default `https://github.com`. */
  readonly site?: string;
  /** Whether GitHub limits writes; by default if this is github.com or ghe.com. */
  readonly countsWrites?: boolean;
  /** The webhooks of GitHub's log that are read; default `failed`. */
  readonly logListed?: 'failed' | 'all';
  /** Counts waits for our count of GitHub's limits, and for GitHub. */
  readonly onWait?: (source: 'own' | 'github') => void;
  /** Our clock, in ms since the epoch. */
  readonly now?: () => number;
};

/** GitHub for pull requests, and for the recovery of lost webhooks. */
export type GitHubAppClient = GitHubApp & {
  readonly deliveries: DeliveryLog;
  /** The App as it is registered, and its installations. */
  fetchSetup(): Promise<AppSetup>;
  /** Its webhook, with the newest deliveries. */
  fetchWebhook(): Promise<AppWebhook>;
  /** GitHub's time in ms since the epoch, to the second; null if it tells none. */
  fetchTime(): Promise<number | null>;
};

/** Creates the GitHub adapter without sending a request. All pull requests share its caches. */
export function createGitHub(options: GitHubOptions): GitHubAppClient {
  const { appId, privateKey, baseUrl, site = 'https://github.com', now = Date.now, onWait = () => {} } = options;
  const createClient = createClientFactory({ ...options, now });
  const app = createClient({ appId, privateKey }, null);
  const identity = createIdentityLookup(app, createClient({}, null));
  const caches = createCaches(now);
  const download = createDownload(options.fetch ?? sendGlobally, new URL(baseUrl).origin);
  const limits = createWriteLimits(now, options.countsWrites ?? isGitHubCloud(baseUrl), onWait);
  return {
    identity,
    deliveries: createDeliveryLog(app, options.logListed ?? 'failed'),
    fetchSetup: () => fetchSetup(app, site),
    fetchWebhook: () => fetchWebhook(app),
    fetchTime: () => fetchTime(app),
    forPull(ref: PullRequestRef, canWrite = () => true) {
      const client = { app, createClient, ref, limits, caches, canWrite, now };
      const clients: Partial<Record<TokenAccess, GitHubClient>> = {};
      // An Octokit takes a while to create, and most work needs only one or two of them.
      const clientFor = (access: TokenAccess): GitHubClient => {
        clients[access] ??= createRepositoryClient(client, access);
        return clients[access];
      };
      return createPullPort({
        ref,
        get read() {
          return clientFor('read-only');
        },
        get write() {
          return clientFor('read-write');
        },
        get readMembers() {
          return clientFor('members');
        },
        get writeChecks() {
          return clientFor('checks');
        },
        get readChecks() {
          return clientFor('read-checks');
        },
        download,
        caches,
        defaultRoot: { sha: null, readAt: 0 },
        botId: async () => (await identity()).botId,
        slug: async () => (await identity()).slug,
        missingPermissions: () => fetchMissingPermissions({ app, ref, caches, now }),
        now,
      });
    },
  };
}

function createPullPort(connection: PullConnection): GitHub {
  return {
    missingPermissions: connection.missingPermissions,
    fetchPull: () => fetchPull(connection),
    fetchRecentPull: () => fetchRecentPull(connection),
    fetchPermission: (login) => fetchPermission(connection, login),
    fetchSettingsFile: () => fetchSettingsFile(connection),
    fetchCodeOwnersFile: () => fetchCodeOwnersFile(connection),
    fetchTeamMembership: (team, login) => fetchTeamMembership(connection, team, login),
    fetchTree: (commit) => fetchTree(connection, commit),
    fetchDiscussion: () => fetchDiscussion(connection),
    fetchChecks: () => fetchChecks(connection),
    fetchCheckDetails: (check) => fetchCheckDetails(connection, check),
    fetchMergeBase: (base, head) => fetchMergeBase(connection, base, head),
    fetchBlob: (sha) => fetchBlob(connection, sha),
    fetchArchive: (commit) => fetchArchive(connection, commit),
    fetchBranchTree: (branch) => fetchBranchTree(connection, branch),
    comparePush: (before, after) => comparePush(connection, before, after),
    listFiles: (head) => listPullFiles(connection, head),
    fetchRules: (branch) => listBranchRules(connection, branch),
    otherPullsOnBranch: (branch) => listOtherPullsOnBranch(connection, branch),
    listCommits: (base, head) => listCommits(connection, base, head),
    createReview: (head, review) => createReview(connection, head, review),
    listReviewComments: (reviewId) => listReviewComments(connection, reviewId),
    findReviews: (marker) => findReviews(connection, marker),
    dismissReview: (reviewId, message) => dismissReview(connection, reviewId, message),
    createFileComment: (head, path, body) => createFileComment(connection, head, path, body),
    createComment: (body) => createComment(connection, body),
    createReply: (rootId, body) => createReply(connection, rootId, body),
    updateComment: (comment, body) => updateComment(connection, comment, body),
    closeThread: (comment, body) => closeThread(connection, comment, body),
    resolveThread: (comment) => resolveThread(connection, comment),
    react: (location, content) => react(connection, location, content),
    findCheckRuns: async (head) => findCheckRuns(connection, head, await connection.slug()),
    createCheckRun: (head, page) => createCheckRun(connection, head, page),
    updateCheckRun: (id, page) => updateCheckRun(connection, id, page),
    addLabel: (name) => addLabel(connection, name),
    removeLabel: (name) => removeLabel(connection, name),
    findCommentsByMarker: (markers, since) => findCommentsByMarker(connection, markers, since),
    fetchCommentTexts: (comments) => fetchCommentTexts(connection, comments),
    fetchVoteSources: (locations) => fetchVoteSources(connection, locations),
    hasPosted: (body, since) => hasPosted(connection, body, since),
    commit: (plan) => createCommit(connection, plan),
  };
}
