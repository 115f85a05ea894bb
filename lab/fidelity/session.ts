import { readBlob, readGitCommit } from '../../fakes/github/git/objects.ts';
import { findTreeEntry } from '../../fakes/github/git/trees.ts';
import type { FakePullRequest, GitHubState } from '../../fakes/github/state/github-state.ts';
import type { WebhookEvent } from '../../fakes/github/state/operation.ts';
import type { FakePerson } from '../../fakes/people/person.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import type { ModelResponse, ToolCall, TranscriptMessage } from '../../src/core/state/conversation.ts';
import { type PullState, pullRequestKey } from '../../src/core/state/pull-state.ts';
import { NO_PROPOSALS } from '../../src/core/step/facts.ts';
import type { WorkerContext } from '../../src/worker/jobs/job.ts';
import { claimNextEffect, claimNextPull } from '../../src/worker/process-pull.ts';
import { createMemoryStore } from '../simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../simulation/memory-store/tables.ts';
import {
  createFixtureContext,
  createFixturePerson,
  createFixtureReceiver,
  createFixtureServer,
  createPullRequestFixture,
  type FixtureFiles,
  type PullRequestFixture,
} from '../bench/pull-request-fixture.ts';

/** A run of the App on a fake pull request. The model makes the given tool calls in its first response, none later. */
export type Session = {
  /** Has write permission. */
  readonly ana: FakePerson;
  readonly loadPull: () => Promise<PullState>;
  /** The tool outputs that the model got, by tool call id. */
  readonly loadToolOutputs: () => Promise<ReadonlyMap<string, string>>;
  readonly state: () => GitHubState;
  readonly pullRequest: () => FakePullRequest;
  /** Resolves once the App has no work left, then advances the clock. */
  readonly settle: () => Promise<void>;
};

const TOKEN_USAGE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** GitHub's times are whole seconds, so two actions must not share one. */
const ACTION_INTERVAL_MS = 2_000;

const START_TIME = Date.UTC(2026, 0, 1);

/**
 * Opens a pull request with these files and gives the App a task. Reading webhooks, deciding, effects and the GitHub
 * adapter are real; sockets, Probot, the database and the model are not.
 */
export async function startSession(files: FixtureFiles, calls: readonly ToolCall[]): Promise<Session> {
  const clock = { now: START_TIME };
  const now = (): number => clock.now;
  const fixture = createPullRequestFixture(files, clock.now);
  const events: WebhookEvent[] = [];
  const server = createFixtureServer(fixture, now, events);
  const store = createMemoryStore(createMemoryTables());
  const context = createFixtureContext({ fixture, server, store, now, model: createCallingModel(calls) });
  const receive = createFixtureReceiver(fixture, context);
  const settle = async (): Promise<void> => {
    await processAllWork(context, receive, events);
    clock.now += ACTION_INTERVAL_MS;
  };
  const ana = createFixturePerson(fixture, server);
  clock.now += ACTION_INTERVAL_MS;
  ana.says('/countersign go');
  await settle();
  const state = (): GitHubState => server.serverState().github;
  const loadPull = (): Promise<PullState> => store.load(pullRequestKey(fixture.ref), NO_PROPOSALS);
  return {
    ana,
    loadPull,
    loadToolOutputs: async () => loadToolOutputs(store, await loadPull()),
    state,
    pullRequest: () => findPullRequest(state(), fixture),
    settle,
  };
}

/** A model that makes these calls in its first response and none later. */
function createCallingModel(calls: readonly ToolCall[]): WorkerContext['model'] {
  let isFirst = true;
  const ask = async (): Promise<ModelResponse> => {
    const toolCalls = isFirst ? calls : [];
    isFirst = false;
    return {
      content: 'Done.',
      toolCalls,
      finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      usage: TOKEN_USAGE,
    };
  };
  return { ask, answerQuestion: ask, maxRequestTokens: async () => null };
}

/** Delivers webhooks and performs effects until neither are left. */
async function processAllWork(
  context: WorkerContext,
  receive: ReturnType<typeof createFixtureReceiver>,
  events: WebhookEvent[],
): Promise<void> {
  const worker = {
    context,
    stopping: new AbortController().signal,
    canContinue: () => true,
    onReleased: () => {},
  };
  for (let id = 1; ; id += 1) {
    const event = events.shift();
    if (event !== undefined) {
      await receive(`${context.clock.now()}-${id}`, event);
      continue;
    }
    const work = (await claimNextPull(worker)) ?? (await claimNextEffect(worker));
    if (work === null) return;
    await work();
  }
}

/** Includes outputs of the current batch, which the model gets only once all its calls have one. */
async function loadToolOutputs(store: Store, { run }: PullState): Promise<ReadonlyMap<string, string>> {
  if (run === null) return new Map();
  const sent = (await store.loadTranscript(run.id)).flatMap((message: TranscriptMessage) =>
    message.role === 'tool' ? [[message.toolCallId, message.content] as const] : [],
  );
  const pending = (run.batch?.calls ?? []).flatMap(({ toolCall, status }) =>
    status.kind === 'answered' ? [[toolCall.id, status.output] as const] : [],
  );
  return new Map([...sent, ...pending]);
}

function findPullRequest(state: GitHubState, { repositoryId, number }: PullRequestFixture): FakePullRequest {
  const pull = state.repositories.get(repositoryId)?.pulls.get(number);
  if (pull === undefined) throw new Error(`Pull request #${number} is missing on the fake GitHub.`);
  return pull;
}

type CommittedFile = { readonly mode: string; readonly bytes: Uint8Array };

/** Null if the commit has no such file. */
export function readCommittedFile({ store }: GitHubState, commit: string, path: string): CommittedFile | null {
  const entry = findTreeEntry(store, readGitCommit(store, commit)?.tree ?? '', path);
  const bytes = entry === undefined ? undefined : readBlob(store, entry.sha);
  return entry === undefined || bytes === undefined ? null : { mode: entry.mode, bytes };
}
