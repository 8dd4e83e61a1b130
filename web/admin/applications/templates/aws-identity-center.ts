import type { Template } from '../template.ts';

export const awsIdentityCenter: Template = {
  id: 'aws-identity-center',
  name: 'AWS IAM Identity Center',
  about: 'Accounts and roles of AWS',
  category: 'Infrastructure',
  protocol: 'saml',
  address: 'https://d-1234567890.awsapps.com/start',
  // Each organization has its own; the console shows them and offers them as a metadata file.
  acs: 'https://REGION.signin.aws.amazon.com/platform/saml/acs/ID',
  audience: 'https://REGION.signin.aws.amazon.com/platform/saml/d-ID',
  asksRedirect: true,
  where: 'Settings → Identity source → Actions → Change identity source → External identity provider',
  setup: `IdP SAML metadata: the file at {metadata_url}
Users: those with the same user names, provisioned by SCIM or by hand`,
  nameId: 'emailAddress',
  docs: 'https://docs.aws.amazon.com/singlesignon/latest/userguide/how-to-connect-idp.html',
};
