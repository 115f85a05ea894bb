import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandTable } from '../../src/command/table.ts';
import { renderCommandTable, withCommandTable } from '../../src/render/command-docs.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const commands = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');

describe('the page of commands', () => {
  it('has the command table as the parser has it', () => {
    expect(commands).toBe(withCommandTable(commands, renderCommandTable(commandTable)));
    for (const { form } of commandTable) expect(commands).toContain(form.replaceAll('|', '\\|'));
  });
});

describe('the README', () => {
  it('has the command table as the parser has it', () => {
    expect(readme).toBe(withCommandTable(readme, renderCommandTable(commandTable)));
    for (const { form } of commandTable) expect(readme).toContain(form.replaceAll('|', '\\|'));
  });

  it('names the two commands that do everything', () => {
    expect(readme).toContain('npm ci && npm run demo');
    expect(readme).toContain('npm ci && npm test');
  });
});
