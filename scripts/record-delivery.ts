/**
 * Records webhook deliveries of the simulated GitHub, for `countersign explain` and its tests: a short
 * conversation is played with the whole App, and each act of `recorded-acts.ts` is recorded as it would
 * reach the App, with what GitHub would tell it, beside the state of that moment. Credentials and
 * signatures are left out; times, commits and addresses are made the same in every recording.
 *
 *   node scripts/record-delivery.ts <folder>
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { loadPull } from '../src/demo/load-pull.ts';
import { pullOf } from '../src/demo/page.ts';
import { openStage, type Stage } from '../src/demo/stage.ts';
import type { RecordedFacts } from '../src/explain/read-state.ts';
import { apiUrl } from '../src/github/octokit.ts';
import { openGitHubs } from '../src/github/open-github.ts';
import type { FileAtHead } from '../src/policy/freshness.ts';
import { newPull, type Pull, pullKey } from '../src/run/run.ts';
import { readSettings } from '../src/settings/read-settings.ts';
import type { WebhookRequest } from '../src/simulator/http/deliveries.ts';
import type { ScriptedCall } from '../src/simulator/model/script.ts';
import { type Person, personOn } from '../src/simulator/people/person.ts';
import { roleOf } from '../src/simulator/world/lookup.ts';
import { OPERATIONS } from '../src/simulator/world/operations.ts';
import type { PullRequest, World } from '../src/simulator/world/state.ts';
import { openStore } from '../src/store/open-store.ts';
import { isRecord, parseJson } from '../src/trust.ts';
import type { GitHub } from '../src/worker/ports.ts';
import { readFile } from '../src/worker/read-files.ts';
import { type Cast, type Posted, TAKES, type Take } from './recorded-acts.ts';
import { steadied } from './steadied.ts';

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
  readonly stage: Stage;
  /** Time goes on to the next moment of the recording: all that happens until the next one is told as of this one. */
  readonly nextMoment: () => void;
  /** When each moment began (ms), in GitHub's whole seconds. */
  readonly moments: readonly number[];
  readonly cast: Cast;
  readonly pull: () => Promise<Pull>;
  readonly onGitHub: () => PullRequest;
  /** The App's own view of it. */
  readonly github: GitHub;
  /** The repository's settings say this from now on. */
  readonly configures: (text: string) => void;
  /** What GitHub says each account may do here, by its id. */
  readonly permissions: () => Readonly<Record<string, string>>;
};

async function openScene(): Promise<Scene> {
  const store = await openStore({ databaseUrl: null, dataDir: null });
  const stage = await openStage(null, store);
  const { github } = stage;
  const source = { name: 'shop', title: 'Totals', origin: '', base: files(BASE), head: files(HEAD), headTree: null };
  const loaded = loadPull(github, source);
  const { repositoryId, number, branch, ana } = loaded;
  const as = (accountId: number): Person => personOn(github.apply, { accountId, repositoryId, number, branch });
  const join = (login: string, type: 'User' | 'Bot'): Person =>
    as(github.apply(OPERATIONS.addAccount, { login, type }).id);
  const carl = pullOf(github, loaded).authorId ?? 0;
  github.apply(OPERATIONS.setPermission, { repositoryId, accountId: carl, permission: 'read' });
  const cast = { ana: as(ana.id), carl: as(carl), stranger: join('dora', 'User'), robot: join('robot[bot]', 'Bot') };
  const installationId = [...github.world().installations.values()].at(-1)?.id ?? 0;
  const ref = { installationId, repositoryId, owner: 'acme', repo: 'shop', number };
  const main = github.world().repositories.get(repositoryId)?.refs.get('refs/heads/main') ?? '';
  github.apply(OPERATIONS.createRef, { actor: cast.ana.actor, repositoryId, ref: 'refs/heads/release', sha: main });
  await stage.settle();
  const moments: number[] = [];
  let ahead = 0;
  return {
    stage,
    moments,
    nextMoment: () => {
      ahead += 3;
      stage.pass(3);
      moments.push(Math.floor(Date.now() / 1000 + ahead) * 1000);
    },
    cast,
    pull: () => store.load(pullKey(ref), { ids: [], commentId: null }).catch(() => newPull(ref)),
    onGitHub: () => pullOf(github, loaded),
    github: openGitHubs({
      appId: github.app.id,
      privateKey: github.app.privateKeyPem,
      baseUrl: apiUrl(new URL(github.url).host, 'http'),
      version: 'recording',
    }).for(ref),
    configures: (text) => {
      const changed = new Map([['.github/countersign.yml', text]]);
      github.apply(OPERATIONS.pushFiles, { actor: cast.ana.actor, repositoryId, branch: 'main', files: changed });
    },
    permissions: () => permissionsOn(github.world(), repositoryId),
  };
}

function permissionsOn(world: World, repositoryId: number): Readonly<Record<string, string>> {
  const repository = world.repositories.get(repositoryId);
  if (repository === undefined) throw new Error('The repository is gone');
  const people = [...world.accounts.values()].filter(({ type }) => type === 'User');
  return Object.fromEntries(people.map(({ id }) => [id, roleOf(repository, id).permission]));
}

/** What GitHub tells of the pull request, as the App itself asks it. */
async function factsOf({ github }: Scene, pull: Pull, reviewId: number | null): Promise<RecordedFacts> {
  const found = await github.pull();
  const settings = readSettings(await github.settingsFile());
  const known = { settings, pull: found };
  if (pull.run === null)
    return { ...known, rules: { head: [], base: [], approvals: 0 }, sameBranch: [], changedPaths: Object.keys(HEAD) };
  const posted = pull.proposals.flatMap(({ comment }) => (comment === null ? [] : [comment]));
  const files = { atBase: await filesAt(github, pull.run.head), atHead: await filesAt(github, found.headSha) };
  // Our comments stand untouched.
  const bodyHashes = Object.fromEntries(posted.map(({ id, bodyHash }) => [id, bodyHash]));
  const reviewed = reviewId === null ? {} : { reviewComments: await github.reviewComments(reviewId) };
  return { ...known, bodyHashes, files, ...reviewed };
}

async function filesAt(github: GitHub, commit: string): Promise<Record<string, FileAtHead | null>> {
  const tree = await github.tree(commit);
  const found: Record<string, FileAtHead | null> = {};
  for (const path of Object.keys(HEAD)) found[path] = await readFile(github, tree, path);
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
  await stage.settle();
  if (before === undefined) return 0;
  scene.nextMoment();
  const heard = before(cast, firstOf(scene, await scene.pull()));
  await stage.settle();
  return heard;
}

function firstOf({ onGitHub }: Scene, { proposals, run }: Pull): Posted {
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
  deliveries.decide(() => 'drop');
  for (const [name, act] of Object.entries(take.acts)) {
    scene.nextMoment();
    const done = act(cast, first, heard);
    const event = take.events?.[name];
    written[name] = recorded(deliveries.log.findLast((one) => event === undefined || one.event === event)?.request);
    if (event === 'pull_request_review' && isRecord(done)) reviewId = Number(done['id']);
  }
  const self = { slug: app.slug, botId: app.botId };
  const facts = { self, ...(await factsOf(scene, pull, reviewId)) };
  written['state'] = { pull, facts, permissions: scene.permissions() };
  mkdirSync(folder, { recursive: true });
  const steady: unknown = parseJson(steadied(JSON.stringify(written), stage.github.url, scene.moments));
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
