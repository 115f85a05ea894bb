import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import { beforeCalls } from '../support/before-calls.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT, proposalStates } from '../support/proposals.ts';
import type { Speaker } from '../support/speaker.ts';
import type { Story } from '../support/story.ts';

const stage = stageForAll();

const SETTINGS = '.github/countersign.yml';

const OWNERS = '.github/CODEOWNERS';

/** Writes a file on the default branch, without waiting for the App. */
function pushes({ pr }: Story, path: string, text: string): void {
  const { id: repositoryId, ownerId, defaultBranch: branch } = pr.repository();
  const files = new Map([[path, text]]);
  const actor = { accountId: ownerId, viaAppId: null };
  stage().github.apply(OPERATIONS.pushFiles, { actor, repositoryId, branch, files });
}

function fillsTeam(...memberIds: readonly number[]): void {
  stage().github.apply(OPERATIONS.setTeam, { team: 'acme/payments', memberIds });
}

function renames({ id, login }: Speaker): void {
  stage().github.apply(OPERATIONS.renameAccount, { id, login: `${login}-new` });
}

/** Mia is a maintainer, gave the task, and is the only member of the team. */
type Scene = Story & { readonly mia: Speaker };

/** A rule that changes after Mia's approval was counted and before the commit. */
type Case = {
  readonly what: string;
  readonly settings?: string;
  readonly owners?: (scene: Scene) => string;
  readonly changes: (scene: Scene) => void;
  /** The call that tells the App of it. */
  readonly readBy: RegExp;
  /** The words of the answer. */
  readonly says: (scene: Scene) => string;
};

const BY_OWNERS = 'approvers: codeowners\n';

const CASES: readonly Case[] = [
  {
    what: 'a rule denies the path',
    changes: (story) => pushes(story, SETTINGS, 'rules: [{tools: [edit_file], paths: [src/**], decide: deny}]\n'),
    readBy: /git\/trees\//,
    says: () =>
      'Not applied: a rule denies `src/total.ts` to the agent (`rules: src/**`), so no approval counts. Pending again',
  },
  {
    what: 'a rule hides the path',
    changes: (story) => pushes(story, SETTINGS, 'rules: [{tools: [read_file], paths: [src/**], decide: deny}]\n'),
    readBy: /git\/trees\//,
    says: () =>
      'Not applied: a rule denies `src/total.ts` to the agent (`rules: src/**`), so no approval counts. Pending again',
  },
  {
    what: 'CODEOWNERS names another person',
    ...{ settings: BY_OWNERS, owners: ({ mia }) => `* @${mia.login}\n` },
    changes: (story) => pushes(story, OWNERS, `* @${story.ben.login}\n`),
    readBy: /git\/trees\//,
    says: ({ mia }) => `Not applied: \`${mia.login}\` is no known code owner of \`src/total.ts\``,
  },
  {
    what: 'the owner leaves the team',
    ...{ settings: BY_OWNERS, owners: () => '* @acme/payments\n' },
    changes: ({ ben }) => fillsTeam(ben.id),
    readBy: /memberships/,
    says: ({ mia }) => `Not applied: \`${mia.login}\` is no known code owner of \`src/total.ts\``,
  },
  {
    what: 'the role is lost',
    changes: ({ mia, grants }) => grants(mia, 'read'),
    readBy: /permission$/,
    says: ({ mia }) => `Not applied: \`${mia.login}\` has no write access to this repository. Pending again`,
  },
  {
    what: 'the account is renamed',
    changes: ({ mia }) => renames(mia),
    readBy: /comments\/\d+$/,
    says: ({ mia }) => `Not applied: GitHub doesn’t show that approval as one of \`${mia.login}\``,
  },
  {
    what: 'the role sinks below the one that the rule asks for',
    settings: 'approvers: maintain\n',
    changes: ({ mia, grants }) => grants(mia, 'write'),
    readBy: /permission$/,
    says: ({ mia }) => `Not applied: \`${mia.login}\` doesn’t have the maintain or admin role`,
  },
  {
    what: 'a second person is needed',
    changes: (story) => pushes(story, SETTINGS, 'required_approvals: 2\n'),
    readBy: /git\/trees\//,
    says: () => 'Not applied: 1 more approval is needed. Pending again',
  },
  {
    what: 'a path asks for an admin',
    changes: (story) => pushes(story, SETTINGS, 'require: [{paths: [src/**], approvers: admin}]\n'),
    readBy: /git\/trees\//,
    says: () => 'the admin role that approvers of this change need. Pending again',
  },
  {
    what: 'the requester no longer counts',
    changes: (story) => pushes(story, SETTINGS, 'require_non_requester: true\n'),
    readBy: /git\/trees\//,
    says: ({ mia }) =>
      `Not applied: \`${mia.login}\` requested this change or wrote lines of it, and \`require_non_requester\` is set`,
  },
  {
    what: 'the settings file is broken',
    changes: (story) => pushes(story, SETTINGS, 'required_approvals: many\n'),
    readBy: /git\/trees\//,
    says: () => 'required_approvals must be a whole number',
  },
];

/** One pending change under these rules. */
async function begin({ settings, owners }: Case): Promise<Scene> {
  const story = await stage().tell();
  const mia = await story.person('mia', 'write', 'maintain');
  const scene = { ...story, mia };
  story.grantsMembers();
  fillsTeam(mia.id);
  if (settings !== undefined) await story.configures(settings);
  if (owners !== undefined) await story.names(owners(scene));
  story.model.proposes(BIGINT);
  await mia.says('/countersign use bigint');
  return scene;
}

/** Mia approves; `at` runs right before each call. Returns the names of all calls. */
function approves({ mia, bot }: Scene, at: (name: string, place: number) => void): Promise<readonly string[]> {
  return beforeCalls(stage(), at, () => mia.replies(bot.proposal(1), '/approve'));
}

describe('a rule that changes after an approval was counted and before the commit', () => {
  it.each(CASES)('$what: nothing is committed, and the page says why (S66, S127, A7)', async (one) => {
    const scene = await begin(one);
    let counted: number | null = null;
    const calls = await approves(scene, (name, place) => {
      if (counted === place - 1) one.changes(scene);
      if (name.endsWith('/reactions')) counted = place;
    });
    await stage().surely();
    expect(counted).toBeLessThan(calls.length - 1);
    expect(calls).not.toContain(COMMIT);
    expect(scene.pr.commits()).toEqual([]);
    expect(await proposalStates(scene)).toEqual(['proposed']);
    expect(scene.bot.answer()).toContain(one.says(scene));
    expect(scene.bot.proposal(1).body).toContain('**Pending');
  });
});

const COMMIT = 'graphql createCommitOnBranch';

const ONE_OF_EACH_READING = CASES.filter(({ what }) => /denies|is lost/.test(what));

describe('what is read last before the commit', () => {
  // Each of the two changes happens before every second call, and before the commit.
  it.each(ONE_OF_EACH_READING)('counts whenever before it $what (S66, S127)', async (one) => {
    const places = (await approves(await begin(one), () => {})).indexOf(COMMIT);
    const outcomes = new Set<boolean>();
    for (let at = places; at >= 0; at -= at === places ? 1 + ONE_OF_EACH_READING.indexOf(one) : 2) {
      const scene = await begin(one);
      const calls = await approves(scene, (_name, place) => {
        if (place === at) one.changes(scene);
      });
      // Readings that run side by side change places, so each conversation is held against its own order.
      const isReadLater = calls
        .slice(at, calls.includes(COMMIT) ? calls.indexOf(COMMIT) : undefined)
        .some((name) => one.readBy.test(name));
      const isCommitted = scene.pr.commits().length > 0;
      expect(isCommitted, calls.join('\n')).toBe(!isReadLater);
      outcomes.add(isCommitted);
    }
    expect(outcomes).toEqual(new Set([false, true]));
  });
});
