import { enterpriseSchemaId, groupSchemaId, userSchemaId } from '../../../../lib/scim-urns.ts';

/** An attribute as RFC 7643, section 7, describes it; what is left out has the value that most have. */
export interface Attribute {
  readonly name: string;
  readonly description: string;
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference' | 'binary';
  readonly multiValued?: true;
  readonly required?: true;
  readonly caseExact?: true;
  readonly uniqueness?: 'server';
  readonly mutability?: 'immutable';
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

const text = (name: string, description: string): Attribute => ({ name, description });

/** A list of values that have a type each, one of them the first to use. */
const plural = (
  name: string,
  description: string,
  types: readonly string[] = [],
  value: Partial<Attribute> = {},
): Attribute => ({
  name,
  description,
  type: 'complex',
  multiValued: true,
  subAttributes: [
    { ...text('value', 'The value.'), ...value },
    text('display', 'What people read of the value.'),
    { ...text('type', 'What the value is for.'), ...(types.length > 0 && { canonicalValues: types }) },
    { ...text('primary', 'Whether it is the first to use.'), type: 'boolean' },
  ],
});

const address = ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'];

export const userSchema: Schema = {
  id: userSchemaId,
  name: 'User',
  description: 'A user account.',
  attributes: [
    {
      ...text('userName', 'The name that the user signs in with. Unique in any case of letters.'),
      required: true,
      uniqueness: 'server',
    },
    {
      ...text('name', 'The parts of the name.'),
      type: 'complex',
      subAttributes: [
        text('formatted', 'The whole name.'),
        text('familyName', 'The family name.'),
        text('givenName', 'The given name.'),
        text('middleName', 'The middle names.'),
        text('honorificPrefix', 'A title before the name.'),
        text('honorificSuffix', 'A suffix after the name.'),
      ],
    },
    text('displayName', 'What others read of the user.'),
    text('nickName', 'How the user is called.'),
    {
      ...text('profileUrl', 'A page about the user.'),
      type: 'reference',
      referenceTypes: ['external'],
      caseExact: true,
    },
    text('title', 'The title of the position.'),
    text('userType', 'How the user belongs to the organization.'),
    text('preferredLanguage', 'The language that the user prefers.'),
    text('locale', 'The format of dates and numbers.'),
    text('timezone', 'The time zone.'),
    { ...text('active', 'Whether the user may sign in and use tokens.'), type: 'boolean' },
    plural('emails', 'Email addresses.', ['work', 'home', 'other']),
    plural('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    plural('ims', 'Addresses for messages.'),
    plural('photos', 'Addresses of photos.', ['photo', 'thumbnail'], {
      type: 'reference',
      referenceTypes: ['external'],
      caseExact: true,
    }),
    {
      ...text('addresses', 'Postal addresses.'),
      type: 'complex',
      multiValued: true,
      subAttributes: [
        ...address.map((name) => text(name, 'A part of the address.')),
        { ...text('type', 'What the address is for.'), canonicalValues: ['work', 'home', 'other'] },
        { ...text('primary', 'Whether it is the first to use.'), type: 'boolean' },
      ],
    },
    plural('entitlements', 'What the user is entitled to.'),
    plural('roles', 'The roles of the user elsewhere; they give no rights here.'),
    plural('x509Certificates', 'Certificates.', [], { type: 'binary', caseExact: true }),
  ],
};

export const enterpriseSchema: Schema = {
  id: enterpriseSchemaId,
  name: 'EnterpriseUser',
  description: 'Enterprise attributes of a user.',
  attributes: [
    text('employeeNumber', 'The number of the employee.'),
    text('costCenter', 'The cost center.'),
    text('organization', 'The organization.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    {
      ...text('manager', 'To whom the user reports.'),
      type: 'complex',
      subAttributes: [
        text('value', 'The id of the manager.'),
        {
          ...text('$ref', 'The address of the manager.'),
          type: 'reference',
          referenceTypes: ['User'],
          caseExact: true,
        },
        text('displayName', 'The name of the manager.'),
      ],
    },
  ],
};

export const groupSchema: Schema = {
  id: groupSchemaId,
  name: 'Group',
  description: 'A group of users.',
  attributes: [
    { ...text('displayName', 'The name of the group.'), required: true, uniqueness: 'server' },
    {
      ...text('members', 'The users in the group.'),
      type: 'complex',
      multiValued: true,
      subAttributes: [
        { ...text('value', 'The id of the user.'), mutability: 'immutable', caseExact: true },
        {
          ...text('$ref', 'The address of the user.'),
          type: 'reference',
          referenceTypes: ['User'],
          mutability: 'immutable',
          caseExact: true,
        },
        {
          ...text('type', 'What the member is.'),
          mutability: 'immutable',
          canonicalValues: ['User'],
        },
      ],
    },
  ],
};

/** The attribute of that name in any case. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const wanted = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted);
}

/** As `/Schemas` shows it. */
export function describeAttribute({ subAttributes, ...own }: Attribute): Record<string, unknown> {
  const { type = 'string' } = own;
  return {
    multiValued: false,
    required: false,
    mutability: 'readWrite',
    returned: 'default',
    ...(type !== 'complex' && type !== 'boolean' && { caseExact: false, uniqueness: 'none' }),
    ...own,
    type,
    ...(subAttributes && { subAttributes: subAttributes.map(describeAttribute) }),
  };
}
