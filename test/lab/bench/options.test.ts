import { describe, expect, it } from 'vitest';
import { readAppBenchOptions, readBenchOptions } from '../../../lab/bench/options.ts';

const URL = 'postgres://postgres@127.0.0.1/postgres';

describe('the options of npm run bench', () => {
  it.each([
    [[], { rounds: 5 }],
    [['12'], { rounds: 12 }],
  ])('are read: %j', (argv, options) => {
    expect(readBenchOptions(argv)).toEqual({ kind: 'options', options });
  });

  it.each([
    [['0'], 'Invalid number of rounds "0". Use a positive whole number.'],
    [['five'], 'Invalid number of rounds "five". Use a positive whole number.'],
    [['5', '6'], 'Use at most one number of rounds.'],
    [['--rounds'], "Unknown option '--rounds'."],
  ])('are refused: %j', (argv, problem) => {
    expect(readBenchOptions(argv)).toEqual({ kind: 'problem', problem: `${problem} See npm run bench -- --help.` });
  });
});

describe('the options of npm run bench:app', () => {
  it.each([
    [[], { rounds: 5, server: null }],
    [['2'], { rounds: 2, server: null }],
    [['2', URL], { rounds: 2, server: URL }],
    [[URL], { rounds: 5, server: URL }],
  ])('are read: %j', (argv, options) => {
    expect(readAppBenchOptions(argv)).toEqual({ kind: 'options', options });
  });

  it.each([
    [['1.5', URL], 'Invalid number of rounds "1.5". Use a positive whole number.'],
    [['2', '3'], 'Use at most one number of rounds and one URL.'],
    [[URL, `${URL}2`], 'Use at most one number of rounds and one URL.'],
  ])('are refused: %j', (argv, problem) => {
    expect(readAppBenchOptions(argv)).toEqual({
      kind: 'problem',
      problem: `${problem} See npm run bench:app -- --help.`,
    });
  });

  it.each([['--help'], ['-h']])('ask for the help: %s', (word) => {
    expect([readBenchOptions([word]), readAppBenchOptions([word])]).toEqual([{ kind: 'help' }, { kind: 'help' }]);
  });
});
