import { affectedPaths, type Change, type FileChange } from '../edits/change.ts';
import type { PathRule, PathRules, Settings } from '../state/settings.ts';
import type { ReadingToolName, ToolName } from '../state/tools.ts';
import { findProtectedFiles, findReadDenyRule, findWriteDenyRule } from './path-tables.ts';
import { coveringRows } from './paths.ts';

/** Whether a tool can have a path. `rule` names the rule that forbids it, or that asks people first. */
type PathDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly rule: string }
  | { readonly kind: 'deny'; readonly rule: string };

/** The rules alone, of settings that hold them. */
export function pathRulesOf({ rules, operatorRules }: PathRules): PathRules {
  return { rules, operatorRules };
}

/** The rules of both lists, each once: the first list decides before the other. */
export function joinRules(first: readonly PathRule[], others: readonly PathRule[]): readonly PathRule[] {
  const rules = [...first, ...others].map((rule) => [JSON.stringify(rule), rule] as const);
  return [...new Map(rules.toReversed()).values()].toReversed();
}

const ALLOWED: PathDecision = { kind: 'allow' };

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<PathDecision['kind'], number>;

function stricter(left: PathDecision, right: PathDecision): PathDecision {
  return STRICTNESS[right.kind] > STRICTNESS[left.kind] ? right : left;
}

/**
 * Whether a reading tool can show the content of a path. Another tool must not show what `read_file` may not, or not
 * before people allowed it.
 */
export function decideReading(rules: PathRules, tool: ReadingToolName, path: string): PathDecision {
  const builtIn = findReadDenyRule(path);
  if (builtIn !== null) return { kind: 'deny', rule: builtIn };
  const reading = decideByRules(rules, 'read_file', path);
  return tool === 'read_file' ? reading : stricter(reading, decideByRules(rules, tool, path));
}

/** Whether the model may learn that a file is there. It also learns it of those that it has to ask for. */
export function canBeNamed(rules: PathRules, path: string): boolean {
  return decideReading(rules, 'list_files', path).kind !== 'deny';
}

/** The rule that forbids one of these tools to change a path; null if there is none. */
export function findChangeRule(rules: PathRules, tools: readonly ToolName[], path: string): string | null {
  const builtIn = findWriteDenyRule(path);
  if (builtIn !== null) return builtIn;
  // A file that may not be read is not changed either, because results of a change show lines of its file.
  const denied = (['read_file', ...tools] as const)
    .map((tool) => decideByRules(rules, tool, path))
    .find(({ kind }) => kind === 'deny');
  return denied?.kind === 'deny' ? denied.rule : null;
}

/** The tool that proposed a change; an undo has none. */
type ChangeOrigin = { readonly kind: 'call'; readonly tool: ToolName } | { readonly kind: 'undo' };

/** The first path of a proposed change, of all its members, that a rule denies now; null if there is none. */
export function findDeniedPath(
  rules: PathRules,
  { change, origin }: { readonly change: Change; readonly origin: ChangeOrigin },
): { readonly path: string; readonly rule: string } | null {
  const called = origin.kind === 'call' ? [origin.tool] : [];
  for (const member of change.members) {
    for (const path of affectedPaths(member)) {
      const rule = findMemberRule(rules, [...called, ...toolsOf(member, path)], member, path);
      if (rule !== null) return { path, rule };
    }
  }
  return null;
}

function findMemberRule(rules: PathRules, tools: readonly ToolName[], { op }: FileChange, path: string): string | null {
  if (op !== 'read') return findChangeRule(rules, tools, path);
  const decision = decideReading(rules, 'read_file', path);
  return decision.kind === 'deny' ? decision.rule : null;
}

/** The tools that do to this path what a change does: a move also deletes its source, and writes its target. */
function toolsOf({ op, path: target }: FileChange, path: string): readonly ToolName[] {
  if (op !== 'move') return CHANGE_TOOLS[op];
  return path === target ? MOVE_TOOLS.target : MOVE_TOOLS.source;
}

/** The tools whose rules hold for each kind of change. */
export const CHANGE_TOOLS = {
  edit: ['edit_file'],
  write: ['write_file'],
  delete: ['delete_file'],
  read: ['read_file'],
} as const satisfies Record<Exclude<FileChange['op'], 'move'>, readonly ToolName[]>;

/** The tools whose rules hold for each side of a move. */
export const MOVE_TOOLS = {
  source: ['move_file', 'delete_file'],
  target: ['move_file', 'write_file'],
} as const satisfies Record<'source' | 'target', readonly ToolName[]>;

/** Both lists are asked, so that neither the operator nor the repository can loosen the rules of the other. */
function decideByRules({ operatorRules, rules }: PathRules, tool: ToolName, path: string): PathDecision {
  return stricter(
    decideByList(operatorRules, 'the operator’s rules', tool, path),
    decideByList(rules, 'rules', tool, path),
  );
}

/** The first rule for the tool that covers the path. `source` says for a refusal whose rules these are. */
function decideByList(rules: readonly PathRule[], source: string, tool: ToolName, path: string): PathDecision {
  const first = coveringRows(rules, path).find(({ row }) => row.tools.includes(tool));
  if (first === undefined || first.row.decide === 'allow') return ALLOWED;
  return { kind: first.row.decide, rule: `${source}: ${first.glob}` };
}

/** Whether changes of a path are always asked about, one by one: it is of the built-in list, or a setting's glob covers it. */
export function isProtected(path: string, { protectedPaths }: Pick<Settings, 'protectedPaths'>): boolean {
  return findProtectedFiles(path) !== null || isCovered(path, protectedPaths);
}

/** Whether one of these globs covers a path, without case and Unicode form. */
export function isCovered(path: string, globs: readonly string[]): boolean {
  return globs.length > 0 && coveringRows([{ paths: globs }], path).length > 0;
}
