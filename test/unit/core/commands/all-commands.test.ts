import { describe, expect, it } from 'vitest';
import { COMMAND_GRAMMAR, COMMAND_LIST } from '../../../../src/core/commands/all-commands.ts';
import { parseComment } from '../../../../src/core/comments/parse-comment.ts';
import { isAllowed } from '../../../../src/core/policy/may-approve.ts';
import { exampleLine } from './example-lines.ts';

describe('the list of commands', () => {
  it('has each command and each keyword once', () => {
    const words = COMMAND_LIST.flatMap((command) => command.words);
    expect(new Set(words).size).toBe(words.length);
    expect(new Set(COMMAND_LIST.map((command) => command.name)).size).toBe(COMMAND_LIST.length);
  });

  it('every keyword is recognized in any case, also behind /countersign (S63)', () => {
    for (const command of COMMAND_LIST.filter(({ name }) => name !== 'task')) {
      for (const word of command.words) {
        const name = { kind: 'command', command: { name: command.name } };
        const line = exampleLine(command, 'k7q2', word);
        expect(parseComment(COMMAND_GRAMMAR, line, 'countersign').parsed).toMatchObject(name);
        expect(parseComment(COMMAND_GRAMMAR, line.toUpperCase(), 'countersign').parsed).toMatchObject(name);
        expect(parseComment(COMMAND_GRAMMAR, `/countersign ${line}`, 'countersign').parsed).toMatchObject(name);
      }
    }
  });

  it('a command about standing approvals with other words behind it decides nothing and gets a hint', () => {
    for (const name of ['approvals', 'revoke']) {
      const { parsed } = parseComment(COMMAND_GRAMMAR, `/${name} k7q2`, 'countersign');
      expect(parsed).toMatchObject({ kind: 'malformed-command', command: name });
    }
  });

  it('the policy allows each command to the roles in its definition (S67)', () => {
    for (const command of COMMAND_LIST) {
      expect(isAllowed('writer', command.allowedTo)).toBe(true);
      expect(isAllowed('author', command.allowedTo)).toBe(command.allowedTo === 'writer-or-author');
      expect(isAllowed('outsider', command.allowedTo)).toBe(false);
    }
  });

  it('each syntax is one line that begins with the keyword of the command', () => {
    for (const command of COMMAND_LIST) {
      expect(command.syntax).toMatch(/^\/[^\n`]+$/);
      expect(command.syntax.startsWith(`/${command.words[0]}`)).toBe(true);
      expect(command.summary).toMatch(/^[a-z][^\n]*[^.\n]$/);
    }
  });
});
