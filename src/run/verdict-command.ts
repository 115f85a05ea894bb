import type { Command, CommandName, Utterance } from '../command/intent.ts';

type VerdictName = Extract<CommandName, 'approve' | 'deny' | 'edit' | 'continue'>;
const VERDICTS: ReadonlySet<CommandName> = new Set<VerdictName>(['approve', 'deny', 'edit', 'continue']);

/** Whether the words are a command that decides on proposals. */
export function isVerdict(utterance: Utterance): utterance is Extract<Utterance, { kind: 'command' }> & {
  readonly command: Extract<Command, { name: VerdictName }>;
} {
  return utterance.kind === 'command' && VERDICTS.has(utterance.command.name);
}
