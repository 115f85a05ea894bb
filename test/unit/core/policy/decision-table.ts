import { hash } from 'node:crypto';
import type { FileChange } from '../../../../src/core/edits/change.ts';
import { blobSha, encodeText } from '../../../../src/core/edits/text/characters.ts';
import { DEFAULT_COMMIT_STYLE } from '../../../../src/core/policy/commit-message.ts';
import { countersign } from '../../../../src/core/policy/countersign.ts';
import { createStandingVote, findUsable } from '../../../../src/core/policy/standing-approvals.ts';
import { parseOperatorFile } from '../../../../src/core/settings/operator-file.ts';
import { parseSettings } from '../../../../src/core/settings/repo-settings.ts';
import type { SetValues } from '../../../../src/core/settings/settings-file.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import type { Settings } from '../../../../src/core/state/settings.ts';
import type { ProposingToolName } from '../../../../src/core/state/tools.ts';
import {
  type Permission,
  type Person,
  type StandingApproval,
  type Vote,
  type VoteSources,
  voteSourceKey,
} from '../../../../src/core/state/vote.ts';
import type { SettingsFileLookup } from '../../../../src/core/step/ports.ts';
import { edit, head, links, proposal, total, vote } from '../messages/sample.ts';

/** The pull request's author, the one who gave the task, and the owner of every path. */
export const PEOPLE = {
  author: { id: 1, login: 'ana' },
  requester: { id: 2, login: 'ben' },
  owner: { id: 3, login: 'carl' },
} as const satisfies Readonly<Record<string, Person>>;

export type Who = keyof typeof PEOPLE;

/** How a person's approval came: for this change, or in advance for its path or a glob. */
export const WAYS = ['direct', 'path', 'glob'] as const;

export type Way = (typeof WAYS)[number];

/** Everything that decides whether one edit of `total.ts` in a directory is committed. */
type Situation = {
  readonly settings: Settings;
  readonly change: FileChange;
  readonly tool: ProposingToolName;
  readonly who: readonly Who[];
  readonly role: Permission;
  readonly way: Way;
  /** The owners of its path; without them that one of the people. */
  readonly owners?: readonly string[];
  /** Where their comments stand; without it in the conversation. */
  readonly surface?: 'conversation' | 'thread';
};

/** The settings of a repository's file within the operator's. Throws if one of the files has a problem. */
export function settingsOf(values: SetValues, operator: SetValues = {}): Settings {
  const ofOperator = parseOperatorFile(fileOf(operator), null);
  if (ofOperator.kind === 'broken') throw new Error(ofOperator.problems.join('\n'));
  const reading = parseSettings(fileOf(values), ofOperator.values);
  if (reading.kind === 'broken') throw new Error(reading.problems.join('\n'));
  return reading.settings;
}

/** JSON is YAML. */
function fileOf(values: SetValues): SettingsFileLookup {
  return { kind: 'file', bytes: encodeText(JSON.stringify(values)) };
}

export function editAt(path: string): FileChange {
  return edit(path, total, 'let total = 0;', 'let total = 0n;');
}

const GRANTED_AT = '2026-01-01T00:00:10Z';

const POSTED_AT = '2026-01-01T00:00:30Z';

const NOW = '2026-01-01T01:00:00.000Z';

const BODY = '/approve';

const SOURCES: VoteSources = Object.fromEntries(
  Object.values(PEOPLE).flatMap(({ id }) => {
    const source = {
      authorId: id,
      authorLogin: null,
      body: BODY,
      createdAt: GRANTED_AT,
      viaApp: false,
      thread: null,
      reviewState: null,
    };
    return (['conversation', 'thread'] as const).map((surface) => [voteSourceKey({ surface, commentId: id }), source]);
  }),
);

const FILE = { ref: { blob: blobSha(encodeText(total)), mode: '100644' }, text: total } as const;

const BODY_HASH = hash('sha256', BODY, 'hex');

function voteOf(by: Person, { change, surface = 'conversation' }: Situation): Vote {
  const comment = { commentId: by.id, surface, bodyHash: BODY_HASH, writtenAt: GRANTED_AT } as const;
  return { ...vote('approve', by), ...comment, digest: change.digest };
}

function standingApproval(by: Person, situation: Situation): StandingApproval {
  const { change, tool, way } = situation;
  const times = { grantedAt: GRANTED_AT, expiresAt: '2026-01-08T00:00:10.000Z' };
  const granting = { ...voteOf(by, situation), action: 'approve-always' } as const;
  const base = { tool, number: by.id, vote: granting, ...times } as const;
  return way === 'glob'
    ? { ...base, path: null, glob: change.path.replace(/[^/]+$/, '*.ts') }
    : { ...base, path: change.path, glob: null };
}

function proposalOf({ change, tool }: Situation): Proposal {
  const comment = {
    kind: 'review-comment',
    id: 21,
    nodeId: 'n',
    createdAt: POSTED_AT,
    bodyHash: 'h',
    url: 'u',
  } as const;
  const origin = { kind: 'call', turn: 1, calls: [{ turn: 1, callId: 'c1' }], tool } as const;
  return proposal(change, { state: 'executing', comment, origin });
}

/** Whether the product lets the change into a commit, from the votes on. */
export function isCommitted(situation: Situation): boolean {
  const { settings, change, who, role, way, owners = [`@${PEOPLE.owner.login}`] } = situation;
  const people = who.map((one) => PEOPLE[one]);
  const approvals = way === 'direct' ? [] : people.map((by) => standingApproval(by, situation));
  const pending = proposalOf(situation);
  const votes = people.map((by, at) => {
    const approval = approvals[at];
    return approval === undefined ? voteOf(by, situation) : createStandingVote(approval, pending, role, NOW);
  });
  const rules = {
    ...settings,
    ...{ author: PEOPLE.author, requester: PEOPLE.requester },
    codeOwners: {
      owners: { [change.path]: owners },
      teams: {},
    },
  } as const;
  try {
    countersign({
      branch: 'topic',
      headSha: head,
      toCommit: [
        {
          proposal: { ...pending, votes },
          regions: [change.region],
          permissions: Object.fromEntries(people.map(({ id }) => [id, role])),
          voteSources: SOURCES,
        },
      ],
      files: new Map([[change.path, FILE]]),
      rules,
      standing: { approvals, rules: settings, runBy: PEOPLE.requester, now: NOW },
      links,
      style: DEFAULT_COMMIT_STYLE,
    });
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.endsWith('does not have enough approvals that count')) return false;
    throw error;
  }
}

/** Whether the product would use these people's standing approvals in the first one's run at all. */
export function isUsed(situation: Situation): boolean {
  const approvals = situation.who.map((one) => standingApproval(PEOPLE[one], situation));
  const [runBy = null] = situation.who.map((one) => PEOPLE[one]);
  const usable = findUsable(proposalOf(situation), { approvals, rules: situation.settings, runBy, now: NOW });
  return usable.length === approvals.length;
}
