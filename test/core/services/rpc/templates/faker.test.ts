import { describe, expect, test } from 'vitest';
import { randomnessAt } from '../../../../../src/core/kernel/randomness.ts';
import { fakerMembers } from '../../../../../src/core/services/rpc/templates/faker-members.ts';
import { parseTemplate } from '../../../../../src/core/services/rpc/templates/parse.ts';
import { renderTemplate } from '../../../../../src/core/services/rpc/templates/render.ts';
import { emptyData, render, rendered } from './support.ts';

describe('faker', () => {
  test.each([...fakerMembers.keys()])('%s gives something', (key) => {
    const result = render(`{{faker.${key}}}`);
    expect(result).toMatchObject({ ok: true });
    expect(result.ok && result.text).not.toMatch(/^$|undefined|\[object|NaN|<no value>/);
  });

  test('takes either case of a name', () => {
    expect(rendered('{{faker.Person.FirstName}}')).toBe(rendered('{{faker.person.firstName}}'));
    expect(rendered('{{faker.Network.IPv4}}')).toBe(rendered('{{faker.network.ipv4}}'));
  });

  test('gives something else at each use', () => {
    const [first, second] = rendered('{{faker.Identity.UUID}} {{faker.Identity.UUID}}').split(' ');
    expect(first).not.toBe(second);
  });

  test('does not depend on what was made up before', () => {
    const alone = rendered('{{faker.Person.Name}} {{faker.Text.Paragraph}}');
    rendered('{{faker.Person.Name}}{{faker.Person.Name}}', {}, 7);
    expect(rendered('{{faker.Person.Name}} {{faker.Text.Paragraph}}')).toBe(alone);
  });

  test('keeps to the ranges and counts it is given', () => {
    expect(
      rendered('{{range 50}}{{$n := faker.Number.IntRange 3 5}}{{if or (lt $n 3) (gt $n 5)}}x{{end}}{{end}}'),
    ).toBe('');
    expect(rendered('{{range 50}}{{if gt (faker.Number.IntN 2) 1}}x{{end}}{{end}}')).toBe('');
    expect(
      rendered(
        '{{range 50}}{{$p := faker.Commerce.Price 10 11}}{{if or (lt $p 10) (gt $p 11)}}x{{end}}{{end}}',
      ),
    ).toBe('');
    expect(rendered('{{len (split (faker.Text.Sentence 6) " ")}}')).toBe('6');
    expect(rendered('{{len (faker.string.alphanumeric 12)}}')).toBe('12');
  });

  test.each([
    ['{{faker.Commerce.Price 10 1}}', '10 to 1 is not a range'],
    ['{{faker.Text.Sentence 100000}}', 'expected a count from 0 to 200'],
    ['{{faker.Person.Name 1}}', 'takes at most 0 arguments'],
    ['{{faker.Person.Nope}}', 'there is no "faker.Person.Nope"'],
    ['{{faker.helpers.fake}}', 'there is no "faker.helpers.fake"'],
    ['{{faker.constructor.constructor}}', 'there is no'],
    ['{{faker.person.__proto__}}', 'there is no'],
    ['{{$f := faker}}{{$f.rawDefinitions}}', 'there is no'],
    ['{{faker}}', 'faker needs the name of a member'],
    ['{{faker.Person}}', 'faker.Person needs the name of a member'],
  ])('%s: %s', (template, problem) => {
    expect(rendered(template)).toContain(problem);
  });

  test('makes up dates around the clock of the log, not of the machine', () => {
    const parsed = parseTemplate('{{faker.DateTime.PastDate}} {{faker.DateTime.FutureDate}}');
    const environment = { now: Date.UTC(1990, 5, 1), randomness: randomnessAt('dates', 1) };
    const result = parsed.ok ? renderTemplate(parsed.template, emptyData, environment) : parsed;
    const [past = '', future = ''] = result.ok ? result.text.split(' ') : [];
    expect(past >= '1989-06-01' && past < '1990-06-01').toBe(true);
    expect(future >= '1990-06-01' && future < '1991-06-01').toBe(true);
  });
});
