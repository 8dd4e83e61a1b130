"""Reads a directory with ldap3. Addresses, names and passwords come from the environment."""

import os
import ssl

from ldap3 import ALL, SUBTREE, Connection, Server, Tls
from ldap3.core.exceptions import LDAPException

env = os.environ
base = env["LDAP_BASE"]
tls = Tls(validate=ssl.CERT_REQUIRED, ca_certs_file=env["LDAP_CA"])


def check(condition, words):
    if not condition:
        raise SystemExit(f"it is not so that {words}")


for use_ssl in (False, True):
    server = Server("127.0.0.1", int(env["LDAPS_PORT" if use_ssl else "LDAP_PORT"]), use_ssl=use_ssl, tls=tls, get_info=ALL)
    connection = Connection(server, env["LDAP_DN"], env["LDAP_PASSWORD"], raise_exceptions=True)
    connection.open()
    if not use_ssl:
        check(connection.start_tls(), "StartTLS is offered")
    check(connection.bind(), "the account can bind")
    check(base.lower() in server.info.naming_contexts, "the root names the base")
    check("inetOrgPerson" in server.schema.object_classes, "the schema has people")
    check(env["LDAP_DN"].lower() in connection.extend.standard.who_am_i().lower(), "whoami returns the bound user")

    pages = connection.extend.standard.paged_search(
        f"ou=users,{base}", "(objectClass=inetOrgPerson)", SUBTREE, attributes=["uid", "mail"], paged_size=7, generator=True
    )
    names = [one["attributes"]["uid"] for one in pages if one["type"] == "searchResEntry"]
    check(len(names) == len(set(names)) and {f"person{i}" for i in range(30)} <= set(names), "pages bring everybody once")

    connection.search(base, "(&(uid=ada)(mail=ADA@*))", attributes=["*", "+"])
    check(len(connection.entries) == 1, "a filter finds Ada")
    ada = connection.entries[0]
    check(ada.displayName.value == "Ada Löwe", "names keep their letters")
    check(ada.memberOf.values == [f"cn=keepers,ou=groups,{base}"], "Ada is a keeper")
    check(connection.compare(ada.entry_dn, "uid", "ada"), "a comparison holds")
    check(not connection.compare(ada.entry_dn, "uid", "grace"), "another one does not")

try:
    Connection(server, f"cn=ada,ou=users,{base}", "wrong", raise_exceptions=True, auto_bind=True)
    raise SystemExit("a wrong password opens the directory")
except LDAPException as error:
    check("invalidCredentials" in str(error), "a wrong password returns invalidCredentials")

person = Connection(server, f"cn=ada,ou=users,{base}", env["ADA_PASSWORD"], raise_exceptions=True, auto_bind=True)
person.search(base, "(objectClass=inetOrgPerson)", attributes=["uid"])
check([one.uid.value for one in person.entries] == ["ada"], "Ada finds herself alone")
check(person.extend.standard.modify_password(None, env["ADA_PASSWORD"], env["ADA_NEW_PASSWORD"]), "Ada changes her password")
person.unbind()
again = Connection(server, f"cn=ada,ou=users,{base}", env["ADA_NEW_PASSWORD"], raise_exceptions=True, auto_bind=True)
check(again.bound, "the new password counts")
