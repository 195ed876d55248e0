import { describe, expect, test } from 'vitest';
import { parseTemplate } from '../../../../../src/core/services/rpc/templates/parse.ts';
import { rendered } from './support.ts';

const data = {
  Request: {
    user_id: 'u_7',
    createdAt: '2026-01-02T03:04:05.5Z',
    big: '9007199254740993',
    small: '9',
    whole: 5,
    fraction: 2.5,
    unset: null,
    list: [3, '10', 2.5],
    people: [{ name: 'Ann' }, { age: 4 }, { name: null }],
  },
  Requests: [{ value: 10 }, { value: '20' }],
  Headers: { authorization: 'Bearer abc' },
};

// Where the JSON of messages, or existing stub files, need something else than Go's own answer.
describe('beyond Go', () => {
  test.each([
    [
      'a field may be named as in the .proto file or as in JSON',
      '{{.Request.userId}} {{.Request.created_at}}',
      'u_7 2026-01-02T03:04:05.5Z',
    ],
    [
      'headers have no case',
      '{{.Headers.Authorization}} {{index .Headers "AUTHORIZATION"}}',
      'Bearer abc Bearer abc',
    ],
    ['a header that did not come is empty', '{{if .Headers.absent}}x{{end}}{{.Headers.absent}}', ''],
    [
      'the other names of the data work',
      '{{.AttemptIndex}} {{.TotalAttempts}} {{eq .RequestID .StubID}} {{.Timestamp.Unix}}',
      '1 0 true 1772553845',
    ],
    ['the list may be piped into index', '{{.Headers.authorization | split " " | index 1 | upper}}', 'ABC'],
    ['a key may be piped into index, as in Go', '{{1 | index .Request.list}}', '10'],
    [
      'integers equal floats of the same value',
      '{{eq 1 1.0}} {{eq .Request.whole 5.0}} {{lt 1 1.5}}',
      'true true true',
    ],
    [
      'a text that holds a number is compared with numbers',
      '{{eq .Request.big 9007199254740993}} {{eq .Request.big 9007199254740992}} {{gt .Request.small 8}}',
      'true false true',
    ],
    [
      'two texts that hold numbers are in the order of these',
      '{{lt .Request.small .Request.big}} {{lt "9" "10"}} {{lt "9" "a"}} {{lt "10" "9x"}}',
      'true true true true',
    ],
    [
      '%d takes a text that holds an integer, and a whole float',
      '{{printf "%d %05d %d" .Request.big .Request.small 2.0}}',
      '9007199254740993 00009 2',
    ],
    ['%f takes an integer', '{{printf "%.2f" .Request.whole}}', '5.00'],
    [
      'a list of numbers may hold texts',
      '{{sum .Request.list}} {{max .Request.list}} {{sum (extract .Requests "value")}}',
      '15.5 10 30',
    ],
    [
      'a number is divided as people do',
      '{{div 7 2}} {{div 8 2}} {{floor (div 7 2)}} {{int (div -7 2)}}',
      '3.5 4 3 -3',
    ],
    [
      'integers keep all digits',
      '{{mul .Request.big 3}} {{sub .Request.big "1"}}',
      '27021597764222979 9007199254740992',
    ],
    ['unsigned 64-bit integers fit', '{{add "18446744073709551614" 1}}', '18446744073709551615'],
    [
      'decimals keep their digits',
      '{{decimal "0.10"}} {{decimal 3}} {{decimal 2.5}} {{json (decimal "1.50")}}',
      '0.10 3.0 2.5 1.50',
    ],
    [
      'what is not set is nil',
      '{{if .Request.unset}}x{{else}}y{{end}}{{default "z" .Request.unset}}{{eq .Request.unset nil}}',
      'yztrue',
    ],
    [
      'extract leaves out objects without the field',
      '{{extract .Request.people "name"}} {{len (extract .Request.people "none")}}',
      '[Ann <nil>] 0',
    ],
    [
      'a text in RFC 3339 is a time',
      '{{unix .Request.createdAt}} {{.Request.createdAt | format "15:04:05.0"}} {{now.After .Request.createdAt}}',
      '1767323045 03:04:05.5 true',
    ],
    ['an offset is taken to UTC', '{{format "2026-01-01T00:30:00+01:00" "DateTime"}}', '2025-12-31 23:30:00'],
    [
      'a layout may have the name that Go gives it',
      '{{format now "RFC1123"}} {{now | format "Kitchen"}}',
      'Tue, 03 Mar 2026 16:04:05 UTC 4:04PM',
    ],
    [
      'times and durations can be added',
      '{{add now "1h" | format "15:04"}} {{add (duration "1s") (duration 500)}} {{sub now "4m" | format "15:04"}}',
      '17:04 1.5s 16:00',
    ],
    [
      'the unit of a duration may come first, for pipes',
      '{{5 | duration "s"}} {{duration 1.5 "h"}}',
      '5s 1h30m0s',
    ],
    [
      'the right side of a declaration sees the older variable',
      '{{$x := 1}}{{if true}}{{$x := add $x 1}}{{$x}}{{end}}{{$x}}',
      '21',
    ],
    ['title leaves the rest of a word alone', '{{title "it\'s an HTTP thing-o"}}', "It's An HTTP Thing-O"],
  ])('%s', (_, template, text) => {
    expect(rendered(template, data)).toBe(text);
  });
});

describe('a problem', () => {
  test.each([
    ['a field that is not there', '{{.Request.nope}}', 'unknown field "nope"'],
    ['a field of nil', '{{.Request.unset.name}}', 'nil has no field "name"'],
    ['an integer over 64 bits', '{{mul .Request.big .Request.big}}', 'does not fit in 64 bits'],
    ['a rest of a division by zero', '{{mod 1 0.0}}', 'division by zero'],
    ['a division of floats by zero', '{{div 1.5 0}}', 'division by zero'],
    ['an average of nothing', '{{avg (slice .Request.list 0 0)}}', 'avg of no numbers'],
    ['a text that is no number', '{{add 1 "x"}}', 'expected a number, got the text "x"'],
    ['a number with an exotic form', '{{add 1 "0x10"}}', 'expected a number'],
    ['a list in the place of a text', '{{upper .Request.list}}', 'expected a text, got a list'],
    ['a comparison of what has no order', '{{lt true false}}', 'cannot compare true with false'],
    [
      'a time out of range',
      '{{add now "2562047h"}}{{add (now.AddDate 7900 0 0) "2562047h"}}',
      'not in the years 1 to 9999',
    ],
    ['a date too far', '{{now.AddDate 99999999 0 0}}', 'AddDate takes at most'],
    ['a number that JSON has not', '{{json (float "NaN")}}', 'JSON has no number NaN'],
    ['Go syntax', '{{printf "%#v" 1}}', '%#v'],
  ])('is %s', (_, template, problem) => {
    expect(rendered(template, data)).toContain(problem);
  });

  test('names the place of what failed, not of what stands around it', () => {
    expect(rendered('{{print (div 1 0) .Request.nope}}', data)).toContain(
      'at offset 9: div: division by zero',
    );
    expect(rendered('{{print (div 1 1) .Request.nope}}', data)).toContain(
      'at offset 18: unknown field "nope"',
    );
  });

  test.each([
    ['{{.Request.name | uper}}', 18],
    ['ab {{if}}', 7],
    ['ab {{$y}}', 5],
    ['{{print "a}}', 8],
    ['{{range .Requests}}{{end}}{{continue}}', 28],
    ['{{add}}', 2],
    ['{{.Requests | upper 1}}', 14],
    ['{{with .Request}}{{.anything}}{{end}}{{.Requst}}', 39],
    ['{{1 2}}', 2],
    ['{{template "x"}}', 2],
  ])('of parsing %s has the offset %i', (template, offset) => {
    expect(parseTemplate(template)).toMatchObject({ ok: false, offset });
  });
});
