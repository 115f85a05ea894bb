import { encodeText } from '../change/text.ts';
import type { StandingFile } from '../policy/countersign.ts';
import { judge, type Verdict } from '../policy/freshness.ts';
import type { SettingsReading } from '../policy/settings.ts';
import { approvers } from '../run/approvals.ts';
import type { HeadFile } from '../run/facts.ts';
import { ownEditsOf } from '../run/own-edit.ts';
import type { Permission, Proposal } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Check } from '../run/signal.ts';
import { readSettings } from '../settings/read-settings.ts';
import { permissionOf, readFile } from './gather.ts';
import type { GitHub } from './ports.ts';

/** What an attempt to commit stands on: the files at the head, and how each proposal fits them. */
export type Ground = {
  readonly head: string;
  readonly branch: string;
  readonly files: ReadonlyMap<string, StandingFile>;
  readonly checks: readonly Check[];
  /** What the repository asks of approvers now. */
  readonly settings: SettingsReading;
};

/** Freshness and authority, read again right before the write. */
export async function layGround(
  github: GitHub,
  pull: Pull,
  mine: readonly Proposal[],
  at: { readonly head: string; readonly branch: string },
): Promise<Ground> {
  const files = await filesAtHead(github, mine, at.head);
  const permissions = await permissionsOf(github, mine);
  const settings = readSettings(await github.settingsFile());
  const checks = mine.map((proposal) => ({
    proposalId: proposal.id,
    verdict: judgeAtHead(pull, proposal, files.get(proposal.change.path) ?? null),
    permissions,
  }));
  const standing = new Map([...files].map(([path, file]) => [path, standingFile(file)]));
  return { ...at, files: standing, checks, settings };
}

async function filesAtHead(
  github: GitHub,
  mine: readonly Proposal[],
  head: string,
): Promise<Map<string, HeadFile | null>> {
  const tree = await github.tree(head);
  const files = new Map<string, HeadFile | null>();
  for (const { change } of mine) {
    if (!files.has(change.path)) files.set(change.path, await readFile(github, tree, change.path));
  }
  return files;
}

function standingFile(file: HeadFile | null): StandingFile {
  if (file === null || file.text === null) return null;
  const mode = file.mode === '100755' ? '100755' : '100644';
  return { ref: { blob: file.blob, mode }, bytes: encodeText(file.text) };
}

function judgeAtHead(pull: Pull, { change }: Proposal, file: HeadFile | null): Verdict {
  return judge({ change, file, ownEdits: ownEditsOf(pull.run, change.path) });
}

async function permissionsOf(github: GitHub, mine: readonly Proposal[]): Promise<Readonly<Record<string, Permission>>> {
  const people = new Map(mine.flatMap(approvers).map((person) => [person.id, person]));
  const permissions: Record<string, Permission> = {};
  for (const person of people.values()) permissions[person.id] = await permissionOf(github, person);
  return permissions;
}
