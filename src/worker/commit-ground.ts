import type { FileAtHead, Verdict } from '../policy/freshness.ts';
import { STALE, verdictOf } from '../policy/judge-push.ts';
import type { SettingsReading } from '../policy/settings.ts';
import type { StandingFile, StandingFiles } from '../policy/signing.ts';
import { approvers } from '../run/approvals.ts';
import { filesWanted } from '../run/files-wanted.ts';
import { type FilesAt, judgingOf, moveAt } from '../run/judging.ts';
import type { Permission, Proposal } from '../run/proposal.ts';
import type { Pull } from '../run/run.ts';
import type { Check } from '../run/signal.ts';
import { readSettings } from '../settings/read-settings.ts';
import { permissionOf } from './gather.ts';
import type { GitHub } from './ports.ts';
import { readAll } from './read-files.ts';
import { type Site, workedOrElse } from './work-facts.ts';
import type { WorkOut } from './work-out.ts';

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
  { github, workOut }: Site,
  pull: Pull,
  mine: readonly Proposal[],
  at: { readonly head: string; readonly branch: string },
): Promise<Ground> {
  const files = await readAll(github, await github.tree(at.head), filesWanted(mine.map(({ change }) => change)));
  const permissions = await permissionsOf(github, mine);
  const settings = readSettings(await github.settingsFile());
  const verdicts = await judgeAll(workOut, pull, mine, files);
  const checks = mine.map(({ id }) => ({ proposalId: id, verdict: verdicts.get(id) ?? STALE, permissions }));
  const standing = new Map(Object.entries(files).flatMap(([path, file]) => standingFile(path, file)));
  return { ...at, files: standing, checks, settings };
}

function standingFile(path: string, file: FileAtHead | null): readonly (readonly [string, StandingFile | null])[] {
  if (file === null) return [[path, null]];
  const { blob, mode, text } = file;
  return mode === '100644' || mode === '100755' ? [[path, { ref: { blob, mode }, text }]] : [];
}

/** Each file with all that is to be made of it: what cannot be judged is stale, and not committed. */
async function judgeAll(
  workOut: WorkOut,
  { run }: Pull,
  mine: readonly Proposal[],
  files: FilesAt,
): Promise<ReadonlyMap<string, Verdict>> {
  const { paths, moves } = judgingOf(run, mine);
  const stands = moves.map((one) => moveAt(one, files));
  for (const { path, waiting, ownEdits } of paths) {
    const stale = waiting.map(({ id }) => ({ id, standing: STALE }));
    const input = { file: files[path] ?? null, waiting, ownEdits };
    stands.push(...(await workedOrElse(workOut, 'judgeFile', input, stale)));
  }
  const standings = new Map(stands.map(({ id, standing }) => [id, standing]));
  return new Map(mine.map(({ id, change }) => [id, verdictOf(change, standings.get(id) ?? STALE)]));
}

async function permissionsOf(github: GitHub, mine: readonly Proposal[]): Promise<Readonly<Record<string, Permission>>> {
  const people = new Map(mine.flatMap(approvers).map((person) => [person.id, person]));
  const permissions: Record<string, Permission> = {};
  for (const person of people.values()) permissions[person.id] = await permissionOf(github, person);
  return permissions;
}
