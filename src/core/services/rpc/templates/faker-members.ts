import type { Faker } from '@faker-js/faker';
import { TemplateFailure } from './failure.ts';
import { needNumber } from './numbers.ts';
import { describe, type Value } from './values.ts';

export interface FakerMember {
  readonly argumentsMax: number;
  readonly make: (faker: Faker, args: readonly Value[]) => unknown;
}

type Entries = readonly (readonly [key: string, member: FakerMember])[];

/** Words, sentences, paragraphs, characters: as many as a template may ask for at once. */
const fakerCountMax = 200;

/** The groups and names of existing stub files. */
const stubFileMembers: Entries = [
  plain('Person.Name', (faker) => faker.person.fullName()),
  plain('Person.Age', (faker) => faker.number.int({ min: 18, max: 90 })),
  plain('Contact.Email', (faker) => faker.internet.exampleEmail()),
  plain('Contact.Phone', (faker) => faker.phone.number({ style: 'international' })),
  plain('Contact.Username', (faker) => faker.internet.username()),
  plain('Contact.URL', (faker) => faker.internet.url()),
  plain('Geo.Country', (faker) => faker.location.country()),
  plain('Geo.CountryCode', (faker) => faker.location.countryCode()),
  plain('Geo.City', (faker) => faker.location.city()),
  plain('Geo.State', (faker) => faker.location.state()),
  plain('Geo.StateCode', (faker) => faker.location.state({ abbreviated: true })),
  plain('Geo.Zip', (faker) => faker.location.zipCode()),
  plain('Geo.Street', (faker) => faker.location.streetAddress()),
  plain('Geo.Latitude', (faker) => faker.location.latitude()),
  plain('Geo.Longitude', (faker) => faker.location.longitude()),
  plain('Geo.TimeZone', (faker) => faker.location.timeZone()),
  plain('Network.DomainName', (faker) => faker.internet.domainName()),
  plain('Network.DomainSuffix', (faker) => faker.internet.domainSuffix()),
  plain('Network.IPv4', (faker) => faker.internet.ipv4()),
  plain('Network.IPv6', (faker) => faker.internet.ipv6()),
  plain('Network.MAC', (faker) => faker.internet.mac()),
  plain('Network.UserAgent', (faker) => faker.internet.userAgent()),
  plain('Network.HTTPMethod', (faker) => faker.internet.httpMethod()),
  plain('Network.HTTPStatusCode', (faker) => faker.internet.httpStatusCode()),
  plain('Company.Company', (faker) => faker.company.name()),
  plain('Company.CompanySuffix', (faker) => faker.helpers.arrayElement(['Inc', 'LLC', 'Group', 'Ltd'])),
  plain('Company.JobTitle', (faker) => faker.person.jobTitle()),
  plain('Company.JobLevel', (faker) => faker.person.jobArea()),
  plain('Company.JobDescriptor', (faker) => faker.person.jobDescriptor()),
  plain('Commerce.ProductCategory', (faker) => faker.commerce.department()),
  plain('Commerce.CurrencyLong', (faker) => faker.finance.currencyName()),
  plain('Commerce.CurrencyShort', (faker) => faker.finance.currencyCode()),
  given('Commerce.Price', 2, (faker, args) => {
    const [min, max] = rangeOf(args, 1, 1000);
    return faker.number.float({ min, max, fractionDigits: 2 });
  }),
  plain('Text.Word', (faker) => faker.lorem.word()),
  given('Text.Sentence', 1, (faker, args) => faker.lorem.sentence(countOf(args, 8))),
  given('Text.Paragraph', 1, (faker, args) => faker.lorem.paragraphs(countOf(args, 1), ' ')),
  plain('Text.Phrase', (faker) => faker.hacker.phrase()),
  plain('Text.Quote', (faker) => faker.company.catchPhrase()),
  plain('Text.Question', (faker) => `${faker.lorem.sentence().slice(0, -1)}?`),
  plain('DateTime.Date', (faker) => faker.date.anytime()),
  plain('DateTime.PastDate', (faker) => faker.date.past()),
  plain('DateTime.FutureDate', (faker) => faker.date.future()),
  plain('DateTime.Year', (faker) => faker.number.int({ min: 1970, max: 2037 })),
  plain('DateTime.Month', (faker) => faker.number.int({ min: 1, max: 12 })),
  plain('DateTime.Day', (faker) => faker.number.int({ min: 1, max: 28 })),
  plain('DateTime.Hour', (faker) => faker.number.int({ min: 0, max: 23 })),
  plain('DateTime.Minute', (faker) => faker.number.int({ min: 0, max: 59 })),
  plain('DateTime.Second', (faker) => faker.number.int({ min: 0, max: 59 })),
  plain('DateTime.WeekDay', (faker) => faker.date.weekday()),
  given('Number.IntN', 1, (faker, args) => {
    const [, max] = rangeOf(args, 0, 100);
    return faker.number.int({ min: 0, max: Math.max(0, Math.ceil(max) - 1) });
  }),
  given('Number.IntRange', 2, wholeNumber),
  plain('Number.Int32', (faker) => faker.number.int({ min: 0, max: 2_147_483_647 })),
  plain('Number.Int64', (faker) => faker.number.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
  given('Number.Float32', 2, fractionalNumber),
  given('Number.Float32Range', 2, fractionalNumber),
  given('Number.Float64', 2, fractionalNumber),
  given('Number.Float64Range', 2, fractionalNumber),
  plain('Identity.UUID', (faker) => faker.string.uuid()),
  plain('Identity.SSN', (faker) => `${digits(faker, 3)}-${digits(faker, 2)}-${digits(faker, 4)}`),
  plain('Identity.EIN', (faker) => `${digits(faker, 2)}-${digits(faker, 7)}`),
];

/** What the library itself offers under its own names, as far as it needs no options. */
const libraryMembers: Entries = [
  ...module('airline', ['flightNumber', 'recordLocator', 'seat', 'aircraftType']),
  ...module('animal', ['bird', 'cat', 'cow', 'dog', 'fish', 'horse', 'petName', 'type']),
  ...module('book', ['author', 'format', 'genre', 'publisher', 'series', 'title']),
  ...module('color', ['human', 'rgb']),
  ...module('commerce', [
    'department',
    'isbn',
    'product',
    'productAdjective',
    'productDescription',
    'productMaterial',
    'productName',
    'upc',
  ]),
  ...module('company', ['buzzAdjective', 'buzzNoun', 'buzzPhrase', 'buzzVerb', 'catchPhrase', 'name']),
  ...module('database', ['collation', 'column', 'engine', 'mongodbObjectId', 'type']),
  ...module('datatype', ['boolean']),
  ...module('date', ['anytime', 'birthdate', 'future', 'month', 'past', 'recent', 'soon', 'weekday']),
  ...module('finance', [
    'accountName',
    'accountNumber',
    'amount',
    'bic',
    'creditCardCVV',
    'creditCardIssuer',
    'creditCardNumber',
    'currencyCode',
    'currencyName',
    'currencySymbol',
    'iban',
    'pin',
    'routingNumber',
    'transactionDescription',
    'transactionType',
  ]),
  ...module('food', ['dish', 'fruit', 'ingredient', 'meat', 'spice', 'vegetable']),
  ...module('git', ['branch', 'commitMessage', 'commitSha']),
  ...module('hacker', ['abbreviation', 'adjective', 'ingverb', 'noun', 'phrase', 'verb']),
  ...module('image', ['avatar', 'url']),
  ...module('internet', [
    'displayName',
    'domainName',
    'domainSuffix',
    'domainWord',
    'email',
    'emoji',
    'exampleEmail',
    'httpMethod',
    'httpStatusCode',
    'ip',
    'ipv4',
    'ipv6',
    'mac',
    'password',
    'port',
    'protocol',
    'url',
    'userAgent',
    'username',
  ]),
  ...module('location', [
    'buildingNumber',
    'cardinalDirection',
    'city',
    'continent',
    'country',
    'countryCode',
    'county',
    'direction',
    'latitude',
    'longitude',
    'secondaryAddress',
    'state',
    'street',
    'streetAddress',
    'timeZone',
    'zipCode',
  ]),
  ...module('lorem', ['slug', 'text', 'word']),
  ...module('music', ['album', 'artist', 'genre', 'songName']),
  ...module('person', [
    'bio',
    'firstName',
    'fullName',
    'gender',
    'jobArea',
    'jobDescriptor',
    'jobTitle',
    'jobType',
    'lastName',
    'middleName',
    'prefix',
    'sex',
    'suffix',
    'zodiacSign',
  ]),
  ...module('phone', ['imei', 'number']),
  ...module('string', ['nanoid', 'ulid', 'uuid']),
  ...module('system', [
    'commonFileName',
    'cron',
    'directoryPath',
    'fileExt',
    'fileName',
    'filePath',
    'mimeType',
    'semver',
  ]),
  ...module('vehicle', [
    'bicycle',
    'color',
    'fuel',
    'manufacturer',
    'model',
    'type',
    'vehicle',
    'vin',
    'vrm',
  ]),
  ...module('word', [
    'adjective',
    'adverb',
    'conjunction',
    'interjection',
    'noun',
    'preposition',
    'sample',
    'verb',
  ]),
  given('lorem.words', 1, (faker, args) => faker.lorem.words(countOf(args, 3))),
  given('lorem.sentence', 1, (faker, args) => faker.lorem.sentence(countOf(args, 8))),
  given('lorem.sentences', 1, (faker, args) => faker.lorem.sentences(countOf(args, 3))),
  given('lorem.paragraph', 1, (faker, args) => faker.lorem.paragraph(countOf(args, 3))),
  given('lorem.paragraphs', 1, (faker, args) => faker.lorem.paragraphs(countOf(args, 3))),
  given('number.int', 2, wholeNumber),
  given('number.float', 2, fractionalNumber),
  given('string.alpha', 1, (faker, args) => faker.string.alpha(countOf(args, 1))),
  given('string.alphanumeric', 1, (faker, args) => faker.string.alphanumeric(countOf(args, 1))),
  given('string.numeric', 1, (faker, args) => faker.string.numeric(countOf(args, 1))),
  given('string.hexadecimal', 1, (faker, args) => faker.string.hexadecimal({ length: countOf(args, 1) })),
];

/** By `group.name` in lower case. Where both have a name, that of the stub files counts. */
export const fakerMembers: ReadonlyMap<string, FakerMember> = new Map(
  [...libraryMembers, ...stubFileMembers].map(([key, member]) => [key.toLowerCase(), member]),
);

function plain(key: string, make: (faker: Faker) => unknown): Entries[number] {
  return [key, { argumentsMax: 0, make: (faker) => make(faker) }];
}

function given(key: string, argumentsMax: number, make: FakerMember['make']): Entries[number] {
  return [key, { argumentsMax, make }];
}

/** Members of one of the library's modules that can be called without arguments. */
function module<Name extends keyof Faker>(
  name: Name,
  members: readonly (keyof Faker[Name] & string)[],
): Entries {
  return members.map((member) => {
    // The names above are of methods whose arguments are optional; a test calls each.
    const make = (faker: Faker): unknown => (faker[name] as unknown as Callable)[member]?.();
    return plain(`${name}.${member}`, make);
  });
}

interface Callable {
  readonly [member: string]: () => unknown;
}

function digits(faker: Faker, length: number): string {
  return faker.string.numeric({ length, allowLeadingZeros: true });
}

function wholeNumber(faker: Faker, args: readonly Value[]): number {
  const [min, max] = rangeOf(args, 0, Number.MAX_SAFE_INTEGER);
  return faker.number.int({ min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.floor(max)) });
}

function fractionalNumber(faker: Faker, args: readonly Value[]): number {
  const [min, max] = rangeOf(args, 0, 1);
  return faker.number.float({ min, max });
}

/** From no arguments, `max`, or `min` and `max`. */
function rangeOf(args: readonly Value[], min: number, max: number): readonly [number, number] {
  const [first, second] = args.map((value) => Number(needNumber(value)));
  const range = second === undefined ? ([min, first ?? max] as const) : ([first ?? min, second] as const);
  if (range[0] <= range[1] && range.every(isModest)) return range;
  throw new TemplateFailure(`${range[0]} to ${range[1]} is not a range`);
}

function isModest(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

function countOf(args: readonly Value[], otherwise: number): number {
  const [given] = args;
  if (given === undefined) return otherwise;
  const count = Number(needNumber(given));
  if (Number.isInteger(count) && count >= 0 && count <= fakerCountMax) return count;
  throw new TemplateFailure(`expected a count from 0 to ${fakerCountMax}, got ${describe(given)}`);
}
