import type { CommandSyntax } from '../comments/command-grammar.ts';
import type { RequiredRole } from '../policy/approval-rules.ts';

/** A command as people read about it. */
export type CommandHelp = Pick<CommandSyntax, 'name' | 'words' | 'syntax'> & {
  /** One sentence without a period. */
  readonly summary: string;
  readonly allowedTo: RequiredRole;
};
