/**
 * Records webhook deliveries of the simulated GitHub, for `countersign explain` and its tests: a short
 * conversation is played with the whole App, and each act of `recorded-acts.ts` is recorded as it would
 * reach the App, with what GitHub would tell it, beside the state of that moment. Credentials and
 * signatures are left out; times, commits and addresses are made the same in every recording.
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
import type { FakePullRequest, GitHubState } from '../fakes/github/state/github-state.ts';
import { collaboratorRoleOf } from '../fakes/github/state/lookup.ts';
import type { ScriptedCall } from '../fakes/model/script.ts';
import { createPerson, type FakePerson } from '../fakes/people/person.ts';
import { apiBaseUrl } from '../src/adapters/github/client.ts';
import { createGitHub } from '../src/adapters/github/create-github.ts';
import { openStore } from '../src/adapters/store/open.ts';
import { parseSettings } from '../src/core/settings/repo-settings.ts';
import type { FileAtHead } from '../src/core/state/head-changes.ts';
import type { GitHub } from '../src/core/state/ports.ts';
import { createPullState, type PullState, pullRequestKey } from '../src/core/state/run.ts';
import { isRecord, parseJson } from '../src/lib/trust.ts';
import { fetchFile } from '../src/worker/jobs/repository-files.ts';
import type { RecordedFacts } from '../test/support/recorded-decision.ts';
import { type Cast, type Posted, TAKES, type Take } from './recorded-acts.ts';

/** The same text in every recording: other things that differ get names by the place where they stand first. */
export function stabilizeRecording(text: string, origin: string, moments: readonly number[]): string {
  const hashes = new Map(
    [...new Set(text.match(HASH) ?? [])].map((hash, index) => [hash, stableHash(hash.length, index)]),
  );
  const short = new Map([...hashes].map(([hash, other]) => [hash.slice(0, 7), other.slice(0, 7)]));
  const guids = new Map([...new Set(text.match(GUID) ?? [])].map((guid, index) => [guid, stableGuid(index)]));
  return text
    .replaceAll(origin, 'https://github.example')
    .replaceAll(new URL(origin).host, 'github.example')
    .replaceAll(TIME, (time) => stableTime(time, moments))
    .replaceAll(HASH, (hash) => hashes.get(hash) ?? hash)
    .replaceAll(SHORT, (hash) => short.get(hash) ?? hash)
    .replaceAll(GUID, (guid) => guids.get(guid) ?? guid);
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;

const HASH = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;

const SHORT = /\b[0-9a-f]{7}\b/g;

const GUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

const START = Date.UTC(2026, 0, 1);

/** As many minutes after the start as moments had begun. */
function stableTime(time: string, moments: readonly number[]): string {
  const begun = moments.filter((moment) => moment <= Date.parse(time)).length;
  return new Date(START + begun * 60_000).toISOString().replace(time.includes('.') ? '' : '.000', '');
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

type Scene = {
  readonly stage: DemoEnvironment;
  /** Time goes on to the next moment of the recording: all that happens until the next one is told as of this one. */
  readonly nextMoment: () => void;
  /** When each moment began (ms), in GitHub's whole seconds. */
  readonly moments: readonly number[];
  readonly cast: Cast;
  readonly pull: () => Promise<PullState>;
  readonly onGitHub: () => FakePullRequest;
  /** The App's own view of it. */
  readonly github: GitHub;
  /** The repository's settings say this from now on. */
  readonly configures: (text: string) => void;
  /** What GitHub says each account may do here, by its id. */
  readonly permissions: () => Readonly<Record<string, string>>;
};

async function openScene(): Promise<Scene> {
  const store = await openStore({ databaseUrl: null, dataDir: null });
  const stage = await startDemoEnvironment(null, store);
  const { github } = stage;
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
  const join = (login: string, type: 'User' | 'Bot'): FakePerson =>
    as(github.apply(OPERATIONS.addAccount, { login, type }).id);
  const carl = demoPullOf(github, loaded).authorId ?? 0;
  github.apply(OPERATIONS.setPermission, { repositoryId, accountId: carl, permission: 'read' });
  const cast = { ana: as(ana.id), carl: as(carl), stranger: join('dora', 'User'), robot: join('robot[bot]', 'Bot') };
  const installationId = [...github.state().installations.values()].at(-1)?.id ?? 0;
  const ref = { installationId, repositoryId, owner: 'acme', repo: 'shop', number };
  const main = github.state().repositories.get(repositoryId)?.refs.get('refs/heads/main') ?? '';
  github.apply(OPERATIONS.createGitRef, { actor: cast.ana.actor, repositoryId, ref: 'refs/heads/release', sha: main });
  await stage.waitUntilIdle();
  const moments: number[] = [];
  let ahead = 0;
  return {
    stage,
    moments,
    nextMoment: () => {
      ahead += 3;
      stage.advanceClock(3);
      moments.push(Math.floor(Date.now() / 1000 + ahead) * 1000);
    },
    cast,
    pull: () => store.load(pullRequestKey(ref), { ids: [], commentId: null }).catch(() => createPullState(ref)),
    onGitHub: () => demoPullOf(github, loaded),
    github: createGitHub({
      appId: github.app.id,
      privateKey: github.app.privateKeyPem,
      baseUrl: apiBaseUrl(new URL(github.url).host, 'http'),
      version: 'recording',
    }).forPull(ref),
    configures: (text) => {
      const changed = new Map([['.github/countersign.yml', text]]);
      github.apply(OPERATIONS.pushFiles, { actor: cast.ana.actor, repositoryId, branch: 'main', files: changed });
    },
    permissions: () => permissionsOn(github.state(), repositoryId),
  };
}

function permissionsOn(world: GitHubState, repositoryId: number): Readonly<Record<string, string>> {
  const repository = world.repositories.get(repositoryId);
  if (repository === undefined) throw new Error('The repository is gone');
  const people = [...world.accounts.values()].filter(({ type }) => type === 'User');
  return Object.fromEntries(people.map(({ id }) => [id, collaboratorRoleOf(repository, id).permission]));
}

/** What GitHub tells of the pull request, as the App itself asks it. */
async function factsOf({ github }: Scene, pull: PullState, reviewId: number | null): Promise<RecordedFacts> {
  const found = await github.fetchPull();
  const settings = parseSettings(await github.fetchSettingsFile());
  const known = { settings, pullRequest: found };
  if (pull.run === null)
    return {
      ...known,
      branchRules: { headRules: [], baseRules: [], approvalCount: 0 },
      otherPullsOnBranch: [],
      changedPaths: Object.keys(HEAD),
    };
  const posted = pull.proposals.flatMap(({ comment }) => (comment === null ? [] : [comment]));
  const files = {
    atBase: await filesAt(github, pull.run.assessedHeadSha),
    atHead: await filesAt(github, found.headSha),
  };
  // Our comments stand untouched.
  const commentHashes = Object.fromEntries(posted.map(({ id, bodyHash }) => [id, bodyHash]));
  const shownDigests = Object.fromEntries(pull.proposals.map(({ id, change }) => [id, change.digest]));
  const reviewed = reviewId === null ? {} : { reviewComments: await github.listReviewComments(reviewId) };
  return { ...known, commentHashes, shownDigests, files, ...reviewed };
}

async function filesAt(github: GitHub, commit: string): Promise<Record<string, FileAtHead | null>> {
  const tree = await github.fetchTree(commit);
  const found: Record<string, FileAtHead | null> = {};
  for (const path of Object.keys(HEAD)) found[path] = await fetchFile(github, tree, path);
  return found;
}

/** Lets things come as far as a take begins. */
async function play(scene: Scene, { settings, waiting, before }: Take): Promise<number> {
  const { stage, cast } = scene;
  if (settings !== undefined) scene.configures(settings);
  if (!waiting) return 0;
  stage.model?.script({ calls: CALLS });
  scene.nextMoment();
  cast.ana.says('/countersign use bigint for money');
  await stage.waitUntilIdle();
  if (before === undefined) return 0;
  scene.nextMoment();
  const heard = before(cast, firstOf(scene, await scene.pull()));
  await stage.waitUntilIdle();
  return heard;
}

function firstOf({ onGitHub }: Scene, { proposals, run }: PullState): Posted {
  const id = proposals[0]?.comment?.id ?? 0;
  const threadNodeId = onGitHub().threads.get(id)?.nodeId ?? '';
  return { id, proposalId: proposals[0]?.id ?? '', threadNodeId, reviewId: run?.reviews[0]?.id ?? 0 };
}

/** Plays the acts without the App hearing of them, and writes what each would have told it. */
async function record(folder: string, take: Take): Promise<void> {
  const scene = await openScene();
  const { stage, cast } = scene;
  const { deliveries, app } = stage.github;
  const heard = await play(scene, take);
  const pull = await scene.pull();
  const first = firstOf(scene, pull);
  const written: Record<string, unknown> = { state: null };
  let reviewId: number | null = null;
  deliveries.intercept(() => 'drop');
  for (const [name, act] of Object.entries(take.acts)) {
    scene.nextMoment();
    const done = act(cast, first, heard);
    const event = take.events?.[name];
    written[name] = recorded(deliveries.log.findLast((one) => event === undefined || one.event === event)?.request);
    if (event === 'pull_request_review' && isRecord(done)) reviewId = Number(done['id']);
  }
  const facts: RecordedFacts = {
    app: { slug: app.slug, botId: app.botId },
    ...(await factsOf(scene, pull, reviewId)),
  };
  written['state'] = { pull, facts, permissions: scene.permissions() };
  mkdirSync(folder, { recursive: true });
  const steady: unknown = parseJson(stabilizeRecording(JSON.stringify(written), stage.github.url, scene.moments));
  for (const [name, value] of Object.entries(isRecord(steady) ? steady : {}))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(value, null, 2)}\n`);
  await stage.close();
}

/** A delivery without what only its receiver may know. */
function recorded(request: WebhookRequest | undefined): unknown {
  const { headers = {}, body = 'null' } = request ?? {};
  const kept = Object.entries(headers).filter(([name]) => /^(?:content-type|x-github-(?:event|delivery))$/i.test(name));
  return { headers: Object.fromEntries(kept), payload: parseJson(body) };
}

const [, , folder] = process.argv;

if (folder === undefined) {
  process.stderr.write('Usage: node scripts/record-delivery.ts <folder>\n');
  process.exit(2);
}

for (const [name, take] of Object.entries(TAKES)) await record(join(folder, name), take);
