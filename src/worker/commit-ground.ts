import { sourcePath } from '../change/touched.ts';
import { judge, type Verdict } from '../policy/freshness.ts';
import type { SettingsReading } from '../policy/settings.ts';
import type { StandingFile, StandingFiles } from '../policy/signing.ts';
import { approvers } from '../run/approvals.ts';
import type { HeadFile } from '../run/facts.ts';
import { filesWanted } from '../run/files-wanted.ts';
import { ownEditsOf } from '../run/own-edit.ts';
import type { Permission, Proposal } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Check } from '../run/signal.ts';
import { readSettings } from '../settings/read-settings.ts';
import { permissionOf, readAll } from './gather.ts';
import type { GitHub } from './ports.ts';

/** What an attempt to commit stands on: the files at the head, and how each proposal fits them. */
export type Ground = {
  readonly head: string;
  readonly branch: string;
  readonly files: StandingFiles;
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
  const files = await readAll(github, await github.tree(at.head), filesWanted(mine.map(({ change }) => change)));
  const permissions = await permissionsOf(github, mine);
  const settings = readSettings(await github.settingsFile());
  const checks = mine.map((proposal) => ({
    proposalId: proposal.id,
    verdict: judgeAtHead(pull, proposal, files),
    permissions,
  }));
  const standing = new Map(Object.entries(files).flatMap(([path, file]) => standingFile(path, file)));
  return { ...at, files: standing, checks, settings };
}

type Files = Readonly<Record<string, HeadFile | null>>;

function standingFile(path: string, file: HeadFile | null): readonly (readonly [string, StandingFile | null])[] {
  if (file === null) return [[path, null]];
  const { blob, mode, text } = file;
  return mode === '100644' || mode === '100755' ? [[path, { ref: { blob, mode }, text }]] : [];
}

function judgeAtHead(pull: Pull, { change }: Proposal, files: Files): Verdict {
  const { path } = change;
  const source = files[sourcePath(change)] ?? null;
  return judge({ change, file: files[path] ?? null, source, ownEdits: ownEditsOf(pull.run, path) });
}

async function permissionsOf(github: GitHub, mine: readonly Proposal[]): Promise<Readonly<Record<string, Permission>>> {
  const people = new Map(mine.flatMap(approvers).map((person) => [person.id, person]));
  const permissions: Record<string, Permission> = {};
  for (const person of people.values()) permissions[person.id] = await permissionOf(github, person);
  return permissions;
}
