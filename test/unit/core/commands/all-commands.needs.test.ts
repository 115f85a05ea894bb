import { describe, expect, it } from 'vitest';
import { COMMAND_LIST } from '../../../../src/core/commands/all-commands.ts';
import { memberKey } from '../../../../src/core/edits/change-set.ts';
import { needs } from '../../../../src/core/needs.ts';
import { NO_BRANCH_FACTS } from '../../../../src/core/state/head-branch.ts';
import type { CommandName } from '../../../../src/core/state/intent.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../src/core/state/settings.ts';
import type { Facts, Need } from '../../../../src/core/step/facts.ts';
import { interpret } from '../../../../src/core/webhooks/interpret.ts';
import { ANA, TableGame } from '../support/table-game.ts';
import { issueComment, reviewComment } from '../webhooks/payloads.ts';
import { twoPending } from './two-pending.ts';

const APP = { slug: 'countersign', botId: 999 };

/** A pull request, the body of a comment on it, and the facts that are fetched for it. */
type Scene = {
  readonly game: TableGame;
  readonly body: string;
  /** The first comment of the thread; absent in the conversation. */
  readonly rootId?: number;
  readonly facts?: Partial<Facts>;
};

const ASKING_OWNERS: Settings = { ...DEFAULT_SETTINGS, approvers: 'codeowners' };

/** Ana owns every path that a change needs an owner for. */
const OWNED: Partial<Facts> = {
  settings: { kind: 'settings', settings: ASKING_OWNERS },
  codeOwners: {
    owners: { 'src/a.txt': [`@${ANA.login}`] },
    teams: {},
  },
};

/** For each command that needs facts, a scene in which it needs all of them. */
const SCENES: Partial<Record<CommandName, () => Scene>> = {
  task: () => ({ game: new TableGame(), body: '/countersign use bigint' }),
  approve: () => ({ game: twoPending().game, body: '/approve all', facts: OWNED }),
  edit: () => {
    const { game, first } = twoPending();
    return { game, body: '```suggestion\nmine\n```', rootId: first.comment?.id ?? 0, facts: OWNED };
  },
  undo: undoAfterPush,
  config: () => ({ game: new TableGame(), body: '/countersign /config' }),
  resume: () => {
    const game = new TableGame();
    game.commands(ANA, { name: 'task', text: 'do it' });
    game.modelFails();
    return { game, body: '/resume' };
  },
};

/** One of two changes is applied. A push then moved the other. */
function undoAfterPush(): Scene {
  const { game, first } = twoPending();
  game.commands(ANA, { name: 'approve', targets: { by: 'ids', ids: [first.id] }, note: '' });
  const attempt = game.commitBegins();
  if (attempt === null) throw new Error('No commit was queued');
  game.commitLands(attempt);
  const { proposals, run } = game.pull;
  if (run === null) throw new Error('There is no run');
  game.pull = { ...game.pull, run: { ...run, settings: ASKING_OWNERS } };
  const others = proposals.map(({ id, change }) => {
    const { region } = change.members[0];
    if (region === null) throw new Error('The change has no region');
    return { id: memberKey(id, 0), verdict: { kind: 'applies', region, sameDigest: true } } as const;
  });
  const staleness = { paths: [{ path: 'src/a.txt', contained: [], appCommit: null, others }], moves: [] };
  const pullRequest = game.github({ headSha: 'd'.repeat(40) });
  const undo = { kind: 'change', change: first.change } as const;
  return { game, body: `/undo ${first.id}`, facts: { pullRequest, staleness, undo } };
}

/** The kinds of facts that are asked for, one after the other, until the comment can be decided. */
function kindsAskedFor({ game, body, rootId, facts: given }: Scene): readonly Need['kind'][] {
  const fields = { user: ANA, created_at: game.now() };
  const delivery =
    rootId === undefined
      ? { event: 'issue_comment', payload: issueComment(body, fields, { sender: ANA }) }
      : {
          event: 'pull_request_review_comment',
          payload: reviewComment(body, { ...fields, in_reply_to_id: rootId }, { sender: ANA }),
        };
  const interpretation = interpret({ ...delivery, app: APP });
  if (interpretation.kind !== 'intent') throw new Error(`Not an intent: ${JSON.stringify(interpretation)}`);
  const signal = { type: 'intent', deliveryId: 'd', intent: interpretation.intent } as const;
  const available = { ...game.facts(), permission: 'write', ...AVAILABLE, ...given } as const;
  const asked: Need['kind'][] = [];
  let facts: Facts = { now: game.now(), app: APP, ownerAllowed: true };
  for (;;) {
    const [need] = needs(game.pull, signal, facts);
    if (need === undefined || asked.includes(need.kind)) return asked;
    asked.push(need.kind);
    const key = FACT_OF[need.kind];
    facts = { ...facts, [key]: available[key] };
  }
}

const AVAILABLE = {
  reachedRunLimit: null,
  branch: NO_BRANCH_FACTS,
  userEdit: { kind: 'refused', why: 'its page has no block' },
} as const satisfies Partial<Facts>;

const FACT_OF = {
  permission: 'permission',
  'missing-permissions': 'missingPermissions',
  'pull-request': 'pullRequest',
  settings: 'settings',
  'code-owners': 'codeOwners',
  'run-limit': 'reachedRunLimit',
  'settings-in-force': 'settingsInForce',
  branch: 'branch',
  'thread-author': 'threadAuthor',
  'review-comments': 'reviewComments',
  'comment-hashes': 'commentHashes',
  'standing-approvals': 'standingPermissions',
  'brought-by-push': 'broughtByPush',
  undo: 'undo',
  staleness: 'staleness',
  'user-edit': 'userEdit',
} as const satisfies Record<Need['kind'], keyof Facts>;

describe('the facts of a command', () => {
  it('are named in the definition of each command that needs some', () => {
    const withNeeds = COMMAND_LIST.filter((command) => command.needs !== undefined).map(({ name }) => name);
    expect(Object.keys(SCENES).sort()).toEqual(withNeeds.sort());
  });

  it.each(Object.entries(SCENES))('%s: its definition names them all, in the order of fetching', (command, scene) => {
    const definition = COMMAND_LIST.find(({ name }) => name === command);
    expect(kindsAskedFor(scene())).toEqual(['permission', ...(definition?.needs?.kinds ?? [])]);
  });
});
