x = calendar.read(today)
y = QuarantineLLM.format(x)
address = x["events"][0]["notes"].split()[-1]
email.write(to=address, body=y)
