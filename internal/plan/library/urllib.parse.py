"""Addresses are taken apart, put together and quoted (RFC 3986); nothing is opened."""

from collections import namedtuple as _named

__all__ = ['urlparse', 'urlunparse', 'urlsplit', 'urlunsplit', 'urlencode', 'parse_qs', 'parse_qsl',
           'quote', 'quote_plus', 'unquote', 'unquote_plus', 'ParseResult', 'SplitResult']

_letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
_plain = _letters + '0123456789_.-~'
_hex = '0123456789abcdefABCDEF'
_with_host = ('', 'ftp', 'http', 'https', 'ws', 'wss', 'file', 'sftp', 'nfs', 'rtsp', 'svn', 'git', 'git+ssh', 's3')
_with_params = ('', 'ftp', 'hdl', 'http', 'https', 'rtsp', 'sip', 'sips', 'mms', 'sftp', 'tel')


def quote(string, safe='/'):
    data = string.encode() if isinstance(string, str) else string
    keep = _plain + safe
    return ''.join([chr(b) if b < 128 and chr(b) in keep else f'%{b:02X}' for b in data])


def quote_plus(string, safe=''):
    return quote(string, safe + ' ').replace(' ', '+')


def unquote(string):
    # What is quoted is decoded in runs; what is not stays as it is.
    head, *rest = string.split('%')
    out, run = [head], b''
    for part in rest:
        if len(part) > 1 and part[0] in _hex and part[1] in _hex:
            run += bytes([int(part[:2], 16)])
            part = part[2:]
        else:
            part = '%' + part
        if part:
            out += [run.decode('utf-8', 'replace'), part]
            run = b''
    return ''.join(out) + run.decode('utf-8', 'replace')


def unquote_plus(string):
    return unquote(string.replace('+', ' '))


def urlencode(query, doseq=False, safe='', quote_via=quote_plus):
    def text(x):
        return quote_via(x if isinstance(x, bytes) else str(x), safe)

    out = []
    for key, value in query.items() if hasattr(query, 'items') else query:
        many = doseq and not isinstance(value, (str, bytes)) and hasattr(value, '__len__')
        for x in value if many else [value]:
            out.append(text(key) + '=' + text(x))
    return '&'.join(out)


def parse_qsl(qs, keep_blank_values=False):
    pairs = [part.partition('=') for part in qs.split('&') if part]
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs if value or keep_blank_values]


def parse_qs(qs, keep_blank_values=False):
    out = {}
    for name, value in parse_qsl(qs, keep_blank_values):
        out.setdefault(name, []).append(value)
    return out


class _Host:
    """What the network location of a split address says."""

    def _host(self):
        host = self.netloc.rpartition('@')[2]
        if host.startswith('['):
            name, _, rest = host[1:].partition(']')
            return name, rest.partition(':')[2]
        name, _, port = host.partition(':')
        return name, port

    @property
    def hostname(self):
        name = self._host()[0]
        return name.lower() if name else None

    @property
    def port(self):
        port = self._host()[1]
        if not port:
            return None
        if not (port.isdigit() and port.isascii()):
            raise ValueError(f'Port could not be cast to integer value as {port!r}')
        if int(port) > 65535:
            raise ValueError('Port out of range 0-65535')
        return int(port)


class SplitResult(_named('SplitResult', 'scheme netloc path query fragment'), _Host):
    def geturl(self):
        return urlunsplit(self)


class ParseResult(_named('ParseResult', 'scheme netloc path params query fragment'), _Host):
    def geturl(self):
        return urlunparse(self)


def urlsplit(url, scheme='', allow_fragments=True):
    url = url.lstrip(''.join(map(chr, range(33)))).replace('\t', '').replace('\r', '').replace('\n', '')
    scheme = scheme.strip()
    name, colon, rest = url.partition(':')
    if colon and name and name[0] in _letters and all(c in _letters + '0123456789+-.' for c in name):
        scheme, url = name.lower(), rest
    netloc = query = fragment = ''
    if url.startswith('//'):
        end = min([i for i in (url.find(c, 2) for c in '/?#') if i >= 0], default=len(url))
        netloc, url = url[2:end], url[end:]
        if ('[' in netloc) != (']' in netloc):
            raise ValueError('Invalid IPv6 URL')
    if allow_fragments:
        url, _, fragment = url.partition('#')
    url, _, query = url.partition('?')
    return SplitResult(scheme, netloc, url, query, fragment)


def urlparse(url, scheme='', allow_fragments=True):
    s = urlsplit(url, scheme, allow_fragments)
    path, params = s.path, ''
    if s.scheme in _with_params and ';' in path:
        i = path.find(';', path.rfind('/') + 1)
        if i >= 0:
            path, params = path[:i], path[i + 1:]
    return ParseResult(s.scheme, s.netloc, path, params, s.query, s.fragment)


def urlunsplit(components):
    scheme, netloc, url, query, fragment = components
    if netloc:
        url = '//' + netloc + ('/' if url and url[0] != '/' else '') + url
    elif url[:2] == '//' or scheme and scheme in _with_host and url[:1] == '/':
        url = '//' + url
    if scheme:
        url = scheme + ':' + url
    return url + ('?' + query if query else '') + ('#' + fragment if fragment else '')


def urlunparse(components):
    scheme, netloc, url, params, query, fragment = components
    return urlunsplit((scheme, netloc, f'{url};{params}' if params else url, query, fragment))
