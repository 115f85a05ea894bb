/**
 * Records webhook deliveries of the simulated GitHub, for `countersign explain` and its tests: a short
 * conversation is played with the whole App, and each act of the tables below is recorded as it would
 * reach the App, with what GitHub would tell it, beside the state of that moment. Credentials and
 * signatures are left out; times, commits and addresses are made the same in every recording.
 *
 *   node scripts/record-delivery.ts <folder>
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { loadPull } from '../src/demo/load-pull.ts';
import { pullOf } from '../src/demo/page.ts';
import { openStage, type Stage } from '../src/demo/stage.ts';
import { DEFAULT_SETTINGS } from '../src/policy/settings.ts';
import type { Facts } from '../src/run/facts.ts';
import { newPull, type Pull, pullKey } from '../src/run/run.ts';
import type { WebhookRequest } from '../src/simulator/http/deliveries.ts';
import type { ScriptedCall } from '../src/simulator/model/script.ts';
import { type Person, personOn } from '../src/simulator/people/person.ts';
import { roleOf } from '../src/simulator/world/lookup.ts';
import { OPERATIONS } from '../src/simulator/world/operations.ts';
import type { PullRequest, World } from '../src/simulator/world/state.ts';
import { openStore } from '../src/store/open-store.ts';
import { isRecord, parseJson } from '../src/trust.ts';

type Cast = { readonly ana: Person; readonly carl: Person; readonly stranger: Person; readonly robot: Person };

/** One act to record. `first` is the comment of the first proposal that waits. */
type Act = (cast: Cast, first: Posted) => unknown;
type Posted = { readonly id: number; readonly proposalId: string };

/** Before anybody gave a task. */
const NO_RUN: Readonly<Record<string, Act>> = {
  task: ({ ana }) => ana.says('/countersign use bigint for money\n\nand say why'),
  'task-by-stranger': ({ stranger }) => stranger.says('/countersign delete everything'),
  'not-addressed': ({ ana }) => ana.says('What is this about?'),
  'other-bots-command': ({ ana }) => ana.says('/rebase'),
};

/** While two changes wait for people. The last act closes the pull request. */
const TWO_WAIT: Readonly<Record<string, Act>> = {
  'approve-in-thread': ({ ana }, { id }) => ana.replies(id, '/approve\nthanks, and mind the tests'),
  'approve-by-id': ({ ana }, { proposalId }) => ana.says(`/approve ${proposalId}`),
  'approve-alone': ({ ana }) => ana.says('/approve'),
  'approve-but': ({ ana }, { id }) => ana.replies(id, '/approve but rename it'),
  'approve-in-code': ({ ana }, { id }) => ana.replies(id, '```\n/approve\n```'),
  'approve-by-stranger': ({ stranger }) => stranger.says('/approve all'),
  'approve-by-bot': ({ robot }) => robot.says('/approve all'),
  'deny-by-author': ({ carl }) => carl.says('/deny all this is not what I wanted'),
  instruction: ({ ana }, { id }) => ana.replies(id, 'keep the name `sum`, please'),
  lgtm: ({ ana }, { id }) => ana.replies(id, 'lgtm'),
  question: ({ ana }) => ana.says('/ask why bigint?'),
  stop: ({ ana }) => ana.says('/stop'),
  close: ({ ana }) => ana.closes(),
};

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
    permissions: () => permissionsOn(github.world(), repositoryId),
  };
}

function permissionsOn(world: World, repositoryId: number): Readonly<Record<string, string>> {
  const repository = world.repositories.get(repositoryId);
  if (repository === undefined) throw new Error('The repository is gone');
  const people = [...world.accounts.values()].filter(({ type }) => type === 'User');
  return Object.fromEntries(people.map(({ id }) => [id, roleOf(repository, id).permission]));
}

/** What GitHub tells of the pull request when a task begins on it. */
function startFacts({ onGitHub, stage }: Scene): Partial<Facts> {
  const { title, authorId, base, head, draft } = onGitHub();
  const login = stage.github.world().accounts.get(authorId ?? 0)?.login ?? '';
  return {
    pull: {
      state: 'open',
      draft,
      title,
      author: { id: authorId ?? 0, login },
      baseRef: base.branch,
      baseSha: base.sha,
      headRef: head.branch,
      headSha: head.sha,
      fork: false,
      changedFiles: Object.keys(HEAD).length,
    },
    rules: { head: [], base: [], approvals: 0 },
    sameBranch: [],
    changedPaths: Object.keys(HEAD),
  };
}

/** Our comments as they stand now: untouched. */
function commentFacts(pull: Pull): Partial<Facts> {
  const posted = pull.proposals.flatMap(({ comment }) => (comment === null ? [] : [comment]));
  return {
    bodyHashes: Object.fromEntries(posted.map(({ id, bodyHash }) => [id, bodyHash])),
  };
}

/** Plays the acts without the App hearing of them, and writes what each would have told it. */
async function record(scene: Scene, folder: string, acts: Readonly<Record<string, Act>>): Promise<void> {
  const { stage, cast } = scene;
  const { deliveries, app } = stage.github;
  const pull = await scene.pull();
  const self = { slug: app.slug, botId: app.botId };
  const settings = { kind: 'settings', settings: DEFAULT_SETTINGS };
  const facts = {
    self,
    settings,
    ...(pull.run === null ? startFacts(scene) : commentFacts(pull)),
  };
  const written: Record<string, unknown> = { state: { pull, facts, permissions: scene.permissions() } };
  const [first] = pull.proposals;
  deliveries.decide(() => 'drop');
  for (const [name, act] of Object.entries(acts)) {
    scene.nextMoment();
    act(cast, { id: first?.comment?.id ?? 0, proposalId: first?.id ?? '' });
    written[name] = recorded(deliveries.log.at(-1)?.request);
  }
  deliveries.decide(undefined);
  mkdirSync(folder, { recursive: true });
  const steady: unknown = parseJson(steadied(JSON.stringify(written), stage.github.url, scene.moments));
  for (const [name, value] of Object.entries(isRecord(steady) ? steady : {}))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(value, null, 2)}\n`);
}

/** A delivery without what only its receiver may know. */
function recorded(request: WebhookRequest | undefined): unknown {
  const { headers = {}, body = 'null' } = request ?? {};
  const kept = Object.entries(headers).filter(([name]) => /^(?:content-type|x-github-(?:event|delivery))$/i.test(name));
  return { headers: Object.fromEntries(kept), payload: parseJson(body) };
}

/** The same text in every recording: other things that differ get names by the place where they stand first. */
function steadied(text: string, origin: string, moments: readonly number[]): string {
  const hashes = new Map([...new Set(text.match(HASH) ?? [])].map((hash, index) => [hash, hashAt(hash.length, index)]));
  const short = new Map([...hashes].map(([hash, other]) => [hash.slice(0, 7), other.slice(0, 7)]));
  const guids = new Map([...new Set(text.match(GUID) ?? [])].map((guid, index) => [guid, guidAt(index)]));
  return text
    .replaceAll(origin, 'https://github.example')
    .replaceAll(new URL(origin).host, 'github.example')
    .replaceAll(TIME, (time) => steadyTime(time, moments))
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
function steadyTime(time: string, moments: readonly number[]): string {
  const begun = moments.filter((moment) => moment <= Date.parse(time)).length;
  return new Date(START + begun * 60_000).toISOString().replace(time.includes('.') ? '' : '.000', '');
}

function hashAt(length: number, index: number): string {
  return createHash('sha256').update(`hash ${index}`).digest('hex').slice(0, length);
}

function guidAt(index: number): string {
  return `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
}

const [, , folder] = process.argv;
if (folder === undefined) {
  process.stderr.write('Usage: node scripts/record-delivery.ts <folder>\n');
  process.exit(2);
}
const scene = await openScene();
await record(scene, join(folder, 'no-run'), NO_RUN);
scene.stage.model?.script({ calls: CALLS });
scene.nextMoment();
scene.cast.ana.says('/countersign use bigint for money');
await scene.stage.settle();
await record(scene, join(folder, 'two-wait'), TWO_WAIT);
await scene.stage.close();
