/**
 * Records webhooks of the fake GitHub for `countersign explain` and its tests. Credentials and signatures are left out;
 * times, hashes and URLs are the same in every recording.
 *
 *   node scripts/record-delivery.ts <folder>
 */

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type DemoEnvironment, startDemoEnvironment } from '../demo/environment.ts';
import { demoPullOf, openDemoPull } from '../demo/pull-request.ts';
import type { WebhookRequest } from '../fakes/github/http/server-state.ts';
import { OPERATIONS } from '../fakes/github/operations/operations.ts';
import type { FakePullRequest } from '../fakes/github/state/github-state.ts';
import type { ScriptedCall } from '../fakes/model/script.ts';
import { createPerson, type FakePerson } from '../fakes/people/person.ts';
import { openStore } from '../src/adapters/store/open.ts';
import { createPullState, type PullState, pullRequestKey } from '../src/core/state/pull-state.ts';
import { isRecord, parseJson } from '../src/lib/trust.ts';
import { type People, type PostedProposal, SCENARIOS, type Scenario } from './recorded-acts.ts';

/** Replaces times, hashes, GUIDs and the fake GitHub's URL, so that the text is the same in every recording. */
function stabilizeRecording(text: string, origin: string, moments: readonly number[]): string {
  const hashes = new Map(
    [...new Set(text.match(HASH) ?? [])].map((hash, index) => [hash, stableHash(hash.length, index)]),
  );
  const shortHashes = new Map([...hashes].map(([hash, stable]) => [hash.slice(0, 7), stable.slice(0, 7)]));
  const guids = new Map([...new Set(text.match(GUID) ?? [])].map((guid, index) => [guid, stableGuid(index)]));
  return text
    .replaceAll(origin, 'https://github.example')
    .replaceAll(new URL(origin).host, 'github.example')
    .replaceAll(TIME, (time) => stableTime(time, moments))
    .replaceAll(HASH, (hash) => hashes.get(hash) ?? hash)
    .replaceAll(SHORT_HASH, (hash) => shortHashes.get(hash) ?? hash)
    .replaceAll(GUID, (guid) => guids.get(guid) ?? guid);
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;

const HASH = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;

const SHORT_HASH = /\b[0-9a-f]{7}\b/g;

const GUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

const STABLE_START = Date.UTC(2026, 0, 1);

/** One minute after the start for each moment that had begun. */
function stableTime(time: string, moments: readonly number[]): string {
  const minutes = moments.filter((moment) => moment <= Date.parse(time)).length;
  return new Date(STABLE_START + minutes * 60_000).toISOString().replace(time.includes('.') ? '' : '.000', '');
}

function stableHash(length: number, index: number): string {
  return createHash('sha256').update(`hash ${index}`).digest('hex').slice(0, length);
}

function stableGuid(index: number): string {
  return `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
}

const CALLS: readonly ScriptedCall[] = [
  {
    name: 'edit_file',
    arguments: { path: 'src/total.ts', old_string: '  let total = 0;', new_string: '  let total = 0n;' },
  },
  { name: 'edit_file', arguments: { path: 'README.md', old_string: 'Sells things.', new_string: 'Sells goods.' } },
];

const BASE = { 'README.md': '# Shop\n\nSells things.\n', 'src/total.ts': 'let total = 0;\n' };

const HEAD = {
  'README.md': '# Shop\n\nSells things.\n\nTotals are numbers.\n',
  'src/total.ts': 'export function total(prices) {\n  let total = 0;\n  return total;\n}\n',
};

function files(contents: Readonly<Record<string, string>>) {
  const entries = Object.entries(contents).map(([path, text]) => {
    return [path, { mode: '100644' as const, bytes: new TextEncoder().encode(text) }] as const;
  });
  return new Map(entries);
}

type RecordingSession = {
  readonly environment: DemoEnvironment;
  /** Advances the clock to the next moment. All times until the moment after it are recorded as the same time. */
  readonly nextMoment: () => void;
  /** The start of each moment, in ms since the epoch, rounded to GitHub's whole seconds. */
  readonly moments: readonly number[];
  readonly people: People;
  readonly loadPull: () => Promise<PullState>;
  readonly pullRequest: () => FakePullRequest;
  /** Commits this text as `.github/countersign.yml`. */
  readonly commitSettings: (text: string) => void;
};

async function startRecordingSession(): Promise<RecordingSession> {
  const store = await openStore({ databaseUrl: null, dataDir: null });
  const environment = await startDemoEnvironment(null, store);
  const { github } = environment;
  const source = {
    name: 'shop',
    title: 'Totals',
    description: '',
    base: files(BASE),
    head: files(HEAD),
    headTree: null,
  };
  const loaded = openDemoPull(github, source);
  const { repositoryId, number, branch, ana } = loaded;
  const as = (accountId: number): FakePerson => createPerson(github.apply, { accountId, repositoryId, number, branch });
  const createAccount = (login: string, type: 'User' | 'Bot'): FakePerson =>
    as(github.apply(OPERATIONS.addAccount, { login, type }).id);
  const carl = demoPullOf(github, loaded).authorId ?? 0;
  github.apply(OPERATIONS.setPermission, { repositoryId, accountId: carl, permission: 'read' });
  const people = {
    ana: as(ana.id),
    carl: as(carl),
    stranger: createAccount('dora', 'User'),
    robot: createAccount('robot[bot]', 'Bot'),
  };
  const installationId = [...github.state().installations.values()].at(-1)?.id ?? 0;
  const ref = { installationId, repositoryId, owner: 'acme', repo: 'shop', number };
  const main = github.state().repositories.get(repositoryId)?.refs.get('refs/heads/main') ?? '';
  github.apply(OPERATIONS.createGitRef, {
    actor: people.ana.actor,
    repositoryId,
    ref: 'refs/heads/release',
    sha: main,
  });
  await environment.waitUntilIdle();
  const moments: number[] = [];
  let aheadSeconds = 0;
  return {
    environment,
    moments,
    nextMoment: () => {
      aheadSeconds += 3;
      environment.advanceClock(3);
      moments.push(Math.floor(Date.now() / 1000 + aheadSeconds) * 1000);
    },
    people,
    loadPull: () => store.load(pullRequestKey(ref), { ids: [], commentId: null }).catch(() => createPullState(ref)),
    pullRequest: () => demoPullOf(github, loaded),
    commitSettings: (text) => {
      const changed = new Map([['.github/countersign.yml', text]]);
      github.apply(OPERATIONS.pushFiles, { actor: people.ana.actor, repositoryId, branch: 'main', files: changed });
    },
  };
}

/** Creates the state before the acts. Returns the comment id of the earlier act, 0 without one. */
async function prepare(
  session: RecordingSession,
  { settings, hasPendingProposals, earlierAct }: Scenario,
): Promise<number> {
  const { environment, people } = session;
  if (settings !== undefined) session.commitSettings(settings);
  if (!hasPendingProposals) return 0;
  environment.model?.script({ calls: CALLS });
  session.nextMoment();
  people.ana.says('/countersign use bigint for money');
  await environment.waitUntilIdle();
  if (earlierAct === undefined) return 0;
  session.nextMoment();
  const commentId = earlierAct(people, findFirstProposal(session, await session.loadPull()));
  await environment.waitUntilIdle();
  return commentId;
}

/** With empty ids if there is no proposal. */
function findFirstProposal({ pullRequest }: RecordingSession, { proposals, run }: PullState): PostedProposal {
  const commentId = proposals[0]?.comment?.id ?? 0;
  const threadNodeId = pullRequest().threads.get(commentId)?.nodeId ?? '';
  return { commentId, proposalId: proposals[0]?.id ?? '', threadNodeId, reviewId: run?.reviews[0]?.id ?? 0 };
}

/** Performs the acts while webhooks are dropped, and writes the webhook of each act. */
async function record(folder: string, scenario: Scenario): Promise<void> {
  const session = await startRecordingSession();
  const { environment, people } = session;
  const { deliveries, url } = environment.github;
  const earlierCommentId = await prepare(session, scenario);
  const firstProposal = findFirstProposal(session, await session.loadPull());
  const recording: Record<string, unknown> = {};
  deliveries.intercept(() => 'drop');
  for (const [name, act] of Object.entries(scenario.acts)) {
    session.nextMoment();
    act(people, firstProposal, earlierCommentId);
    const event = scenario.events?.[name];
    const delivery = deliveries.log.findLast((one) => event === undefined || one.event === event);
    recording[name] = withoutSecrets(delivery?.request);
  }
  mkdirSync(folder, { recursive: true });
  const stable: unknown = parseJson(stabilizeRecording(JSON.stringify(recording), url, session.moments));
  for (const [name, value] of Object.entries(isRecord(stable) ? stable : {}))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(value, null, 2)}\n`);
  await environment.close();
}

/** Keeps the payload and the headers that don't depend on a secret. */
function withoutSecrets(request: WebhookRequest | undefined): unknown {
  const { headers = {}, body = 'null' } = request ?? {};
  const kept = Object.entries(headers).filter(([name]) => /^(?:content-type|x-github-(?:event|delivery))$/i.test(name));
  return { headers: Object.fromEntries(kept), payload: parseJson(body) };
}

const [, , folder] = process.argv;

if (folder === undefined) {
  process.stderr.write('Usage: node scripts/record-delivery.ts <folder>\n');
  process.exit(2);
}

for (const [name, scenario] of Object.entries(SCENARIOS)) await record(join(folder, name), scenario);
