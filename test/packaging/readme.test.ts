import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderCommandTable, replaceCommandTable } from '../../scripts/docs/command-table.ts';
import { COMMAND_LIST } from '../../src/core/commands/all-commands.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

const commands = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');

describe('the commands page', () => {
  it('has the same command table as the parser', () => {
    expect(commands).toBe(replaceCommandTable(commands, renderCommandTable(COMMAND_LIST)));
    for (const { syntax } of COMMAND_LIST) expect(commands).toContain(syntax.replaceAll('|', '\\|'));
  });
});

describe('the README', () => {
  it('has the same command table as the parser', () => {
    expect(readme).toBe(replaceCommandTable(readme, renderCommandTable(COMMAND_LIST)));
    for (const { syntax } of COMMAND_LIST) expect(readme).toContain(syntax.replaceAll('|', '\\|'));
  });

  it('names the two commands that install and run everything', () => {
    expect(readme).toContain('npm ci && npm run demo');
    expect(readme).toContain('npm ci && npm test');
  });
});

describe('the links to register an App', () => {
  const links = [...readme.matchAll(/\]\((https:\/\/github\.com\/[^)]*\/apps\/new\?[^)]*)\)/g)].map(
    ([, link = '']) => new URL(link),
  );

  it('open the forms for a user and for an organization', () => {
    expect(links.map(({ pathname }) => pathname)).toEqual([
      '/settings/apps/new',
      '/organizations/ORGANIZATION/settings/apps/new',
    ]);
  });

  it('fill in exactly the values of app.yml (I7)', () => {
    const {
      name,
      url,
      hook_attributes: hook,
      ...manifest
    } = parse(readFileSync(new URL('../../app.yml', import.meta.url), 'utf8'));
    const expected = [
      ['name', name],
      ['url', url],
      ['public', String(manifest.public)],
      ['webhook_active', String(hook.active)],
      ['webhook_url', hook.url],
      ...Object.entries(manifest.default_permissions),
      ...manifest.default_events.map((event: string) => ['events[]', event]),
    ];
    for (const link of links) expect([...link.searchParams]).toEqual(expected);
  });
});
