import { existsSync, readFileSync } from 'node:fs';
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

describe('the first screen of the README (O31)', () => {
  const screen = readme.slice(0, readme.indexOf('\n## '));
  const places = (...words: readonly string[]) => words.map((word) => screen.indexOf(word));
  const picture = screen.includes('<picture>') ? '<picture>' : 'countersign use';

  it('has a sentence, a picture, one command to try and one to install, and what people asked for, in this order', () => {
    const order = places('An AI coding agent', picture, '**Try it**', '**Install it**', '- **Nothing is pushed');
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((left, right) => left - right));
    const commands = [...screen.matchAll(/```sh\n([^`]+)```/g)].map(([, command = '']) => command.trim());
    expect(commands).toEqual(['npm ci && npm run demo', 'npm ci && npm run -s countersign -- setup']);
    const promises = [...screen.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, promise = '']) => promise);
    for (const word of [
      'before you say yes',
      'this pull request',
      'What you saw',
      'CI runs',
      'days later',
      'Your model',
    ])
      expect(promises).toContainEqual(expect.stringContaining(word));
  });

  it('fits one screen, and every picture in it exists', () => {
    expect(screen.split('\n').length).toBeLessThan(50);
    const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path);
    for (const path of pictures)
      expect([path, existsSync(new URL(`../../${path}`, import.meta.url))]).toEqual([path, true]);
  });

  it('names commands that the package has', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const used = [...readme.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(used.length).toBeGreaterThan(4);
    for (const name of used) expect(scripts).toHaveProperty([name]);
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
